package io.polder.lab.experiments.blocks;

import io.polder.lab.experiments.blocks.Workload.Timed;
import io.polder.lab.harness.CompilerState;
import io.polder.lab.harness.LoadedLibrary;
import io.polder.lab.harness.MeasuringMain;
import io.polder.lab.harness.Sampler;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;

/**
 * Main class of a measuring JVM: all workloads on one contender, and what they take. One after
 * the other, small blocks before large ones, on the same memory. Loops of one contender alone are
 * compiled here.
 *
 * <p>Samples: nanoseconds under {@link Workload#with}, {@link #heap} behind it, and {@link
 * #COMMITTED}.
 */
final class TimeJvm {
    /** Bytes that Polder has committed when all is free and trimmed. */
    static final String COMMITTED = "committed";

    /** So long a window waits for the compilers. A guess, for a machine that is busy. */
    private static final Duration COMPILING = Duration.ofSeconds(2);

    private TimeJvm() {}

    /**
     * What it is told.
     *
     * @param library that malloc must come from; null for any
     */
    record Task(Contender contender, @Nullable String library, long seed, Scale scale) {}

    /** See the class. */
    public static void main(String[] args) throws Exception {
        MeasuringMain.run(args, Task.class, TimeJvm::run);
    }

    /** Name of the bytes of Java heap for an operation. */
    static String heap(String with) {
        return with + ".heap";
    }

    /**
     * Opens a contender.
     *
     * @throws IllegalStateException if malloc comes from elsewhere
     */
    static BlockSource open(Contender contender, @Nullable String library) throws IOException {
        LoadedLibrary.requireOfMalloc(library);
        return contender.open();
    }

    private static void run(Task task, Sampler sampler) throws IOException, InterruptedException {
        Scale scale = task.scale();
        try (BlockSource source = open(task.contender(), task.library())) {
            int done = 0;
            for (Timed timed : Workload.TIMED) {
                TimedRun.of(team(timed, source, task), scale.warmup());
                measure(timed, source, task, sampler);
                done++;
                sampler.progress((double) done / Workload.TIMED.size());
            }
            source.giveBack();
            sampler.count(COMMITTED, source.committedBytes());
        }
    }

    /** A window in which the compilers were at work does not count, while there is patience. */
    private static void measure(Timed timed, BlockSource source, Task task, Sampler sampler)
            throws InterruptedException {
        int patience = task.scale().patience();
        for (int window = 0; window < task.scale().windows(); window++) {
            boolean compiled = false;
            TimedRun.Took took = null;
            while (took == null || (!compiled && patience > 0)) {
                Work.Team team = team(timed, source, task);
                CompilerState compilers =
                        new CompilerState(
                                team.works().stream().flatMap(w -> w.loops().stream()).toList());
                compilers.awaitIdle(COMPILING);
                boolean before = compilers.isDone();
                took = TimedRun.of(team, task.scale().window());
                compiled = before && compilers.isDone();
                patience -= compiled ? 0 : 1;
            }
            sampler.sample(timed.id(), took.nanos());
            sampler.sample(heap(timed.id()), took.heap());
        }
    }

    private static Work.Team team(Timed timed, BlockSource source, Task task) {
        return timed.workload().maker().make(source, timed.threads(), task.seed(), false);
    }
}
