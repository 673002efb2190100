package io.polder;

import io.polder.background.Background;
import io.polder.background.Step;
import io.polder.background.Task;
import io.polder.memory.MemoryPressure;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongUnaryOperator;
import java.util.function.Supplier;

/**
 * Those who hold memory of a pool that they could free, as caches do.
 *
 * <pre>{@code
 *   a thread that would be refused ------------------- asks itself --+
 *   a thread in the queue, whom others wait for --+                  +--> shrinkers --> memory
 *   once a second, if the system is short --------+-- has them asked +
 * }</pre>
 *
 * <p>They are code of the program, so no lock is held. One that allocates may be refused: the
 * thread is not asked again for that.
 *
 * <p>Failure: what a shrinker throws, the thread that asked gets. There is nothing to mend.
 *
 * <p>Thread-safe.
 */
final class Shrinkers implements Step {
    private static final long LOOK_NANOS = 1_000_000_000;

    /** Before they are asked elsewhere: nothing to who waits, or to who tries again. Guessed. */
    private static final long SOON_NANOS = 100_000;

    private final List<Shrinker> all = new CopyOnWriteArrayList<>();

    /** Whether the running thread is asking. */
    @SuppressWarnings("ThreadLocalUsage") // one for each pool
    private final ThreadLocal<boolean[]> asking = ThreadLocal.withInitial(() -> new boolean[1]);

    /** How the background asks; null before it was to. */
    private volatile @Nullable Runnable asks;

    final Background background;

    /** Woken again and again, it has a thread as soon as one can be started. */
    private final Task task;

    /** None yet; the background asks them in place of other threads. */
    Shrinkers(Background background) {
        this.background = background;
        this.task = background.task(this, SOON_NANOS);
    }

    /** Looks whether the system is short, for all pools of the process that have any. */
    static final class Looking implements Step {
        static final Looking INSTANCE = new Looking();

        final Task task = PoolBackground.INSTANCE.task(this, LOOK_NANOS);

        /** Of the task alone; null before there were any. */
        private @Nullable MemoryPressure pressure;

        @Override
        public boolean run() {
            List<PoolMemory> now = OpenPools.INSTANCE.reachable();
            now.removeIf(each -> each.closed || each.shrinkers.all.isEmpty());
            MemoryPressure before = pressure;
            if (now.isEmpty()) {
                pressure = null;
            } else if (before == null) {
                pressure = new MemoryPressure();
            } else if (before.isHigh(System.nanoTime())) {
                now.forEach(each -> each.shrinkers.haveAsked(each.exhaustion::shrinkForTheSystem));
            }
            return !now.isEmpty();
        }
    }

    /** One that was added; the same may be added twice, and then it is two. */
    private record Shrinker(LongUnaryOperator frees, Supplier<String> line) {}

    /**
     * Adds one.
     *
     * @param line what a report says of it
     * @return what removes it
     */
    @SuppressWarnings("ReferenceEquality") // one that equals it is another one
    Runnable add(LongUnaryOperator frees, Supplier<String> line) {
        Shrinker added = new Shrinker(frees, line);
        all.add(added);
        Looking.INSTANCE.task.wake();
        return () -> all.removeIf(each -> each == added);
    }

    /**
     * Asks them one after the other, until enough was freed.
     *
     * @return how much they say that they freed
     */
    long ask(long bytes) {
        if (all.isEmpty() || asking.get()[0]) {
            return 0;
        }
        boolean[] isAsking = asking.get();
        isAsking[0] = true;
        try {
            long freed = 0;
            for (Shrinker each : all) {
                if (freed < bytes) {
                    freed += Math.max(0, each.frees.applyAsLong(bytes - freed));
                }
            }
            return freed;
        } finally {
            isAsking[0] = false; // by a store: the stack may have ended
        }
    }

    /** What a report says of them, a line each. */
    List<String> lines() {
        List<String> lines = new ArrayList<>(); // no stream: see PoolMemory.report
        all.forEach(each -> lines.add(line(each.line)));
        return lines;
    }

    private static String line(Supplier<String> line) {
        try {
            return String.valueOf(line.get());
        } catch (RuntimeException thrown) {
            return "does not say what it holds: " + thrown;
        }
    }

    /** Lets another thread ask them, soon and once, whatever they throw. */
    void haveAsked(Runnable how) {
        if (!all.isEmpty()) {
            asks = how; // the last one will do
            task.wake();
        }
    }

    /** Asks, as a job: whatever that throws, it is not done again. */
    @Override
    public boolean run() {
        background.execute(Objects.requireNonNull(asks));
        return false;
    }
}
