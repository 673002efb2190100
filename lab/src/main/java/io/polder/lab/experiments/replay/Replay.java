package io.polder.lab.experiments.replay;

import io.polder.MemoryPool;
import io.polder.lab.experiments.replay.Sample.Mark;
import io.polder.lab.harness.InputException;
import io.polder.memory.ProcessCheck;

import java.util.function.Consumer;
import java.util.function.DoubleConsumer;

/**
 * Does on a pool what a log says: every arena of the log is a confined arena, in one thread, as
 * fast as it goes.
 *
 * <p>After each {@linkplain Waves wave} of deaths the pool is trimmed, as HotSpot purges its
 * metaspace after it unloaded classes. Samples are taken in steps of the log's time, at the peak,
 * in the valley, and at the end. When the log has ended, all that live are closed, and the pool is
 * trimmed once more.
 */
final class Replay {
    /** Steps of time, with a sample between them. A table of them fits a screen. */
    private static final int STEPS = 20;

    private final Survey survey;
    private final MemoryPool pool;
    private final Consumer<Sample> samples;
    private final DoubleConsumer progress;
    private final Owners owners = new Owners();
    private final Waves waves = new Waves();
    private final EventBatch batch;
    private long nanos;
    private int step = 1;
    private boolean valleySeen;

    /**
     * Creates a replay.
     *
     * @param survey of the log that is to be replayed
     * @param pool where memory comes from
     * @param samples receives what was seen
     * @param progress receives the share that is done
     */
    Replay(Survey survey, MemoryPool pool, Consumer<Sample> samples, DoubleConsumer progress) {
        this.survey = survey;
        this.pool = pool;
        this.samples = samples;
        this.progress = progress;
        this.batch = new EventBatch(pool);
    }

    /**
     * Replays the log.
     *
     * @return how long it took to open, allocate and close, in nanoseconds; not the reading of the
     *     log, the trimming and the sampling
     * @throws InputException if the log is not the one that was surveyed
     * @throws OutOfMemoryError if the pool has no memory for what the log requests
     */
    long run(MetaspaceLog log) throws InputException {
        nanos = survey.firstNanos();
        try {
            sample(Mark.START);
            log.read(this::accept);
            batch.run();
            end();
        } finally {
            closeAll();
        }
        pool.trim();
        sample(Mark.CLOSED);
        return batch.nanos();
    }

    private void accept(ArenaEvent event) throws BrokenLogException {
        if (owners.events() == survey.events()) {
            // Written since the survey, by a JVM that still runs.
            return;
        }
        if (waves.endBefore(event)) {
            batch.run();
            pool.trim();
            if (owners.events() == survey.valley() && !valleySeen) {
                sampleValley();
            }
        }
        while (event.nanos() >= stepNanos()) {
            nanos = stepNanos();
            step++;
            batch.run();
            sample(Mark.STEP);
            progress.accept(owners.events() / (double) survey.events());
        }
        nanos = event.nanos();
        batch.add(event, owners.apply(event));
        if (owners.events() == survey.peak()) {
            batch.run();
            sample(Mark.PEAK);
            if (survey.isValleyAtPeak()) {
                pool.trim();
                sampleValley();
            }
        }
    }

    /** When the next step is due; the last one is the end. */
    private long stepNanos() {
        long duration = survey.lastNanos() - survey.firstNanos();
        return step >= STEPS
                ? Long.MAX_VALUE
                : survey.firstNanos() + (long) (duration * (step / (double) STEPS));
    }

    private void end() {
        if (!valleySeen) {
            pool.trim();
            sampleValley();
        } else {
            if (waves.endAtEnd()) {
                pool.trim();
            }
            sample(Mark.END);
        }
    }

    private void sampleValley() {
        valleySeen = true;
        sample(Mark.VALLEY);
    }

    private void sample(Mark mark) {
        samples.accept(
                new Sample(
                        mark,
                        nanos,
                        mark == Mark.CLOSED ? 0 : owners.count(),
                        mark == Mark.CLOSED ? 0 : owners.usedBytes(),
                        pool.stats().committedBytes(),
                        ProcessCheck.rssBytes().orElse(-1)));
    }

    private void closeAll() {
        batch.abandon();
        owners.living().forEach(LoggedOwner::closeArena);
    }
}
