package io.polder.stress;

import io.polder.MemoryPool;
import io.polder.PoolStatistics;

import java.util.concurrent.CountDownLatch;

/**
 * Very many short threads, each with an arena: nothing may pile up.
 *
 * <pre>{@code
 *   thread   0 1 2 ... ALIVE-1 | ALIVE ...       each waits for the one that had its place
 *   place    0 1 2 ... ALIVE-1 | 0 1 2 ...
 * }</pre>
 *
 * <p>Compares the resident set after a warm-up of {@link #WARM_UP} threads or more with that after
 * all of them. Exit code: 0 if it grew by less than {@link Rss#GROWTH_MAX_BYTES}, every thread ran,
 * every kind of use was made and the pool is no larger than its threads need; 1 if not; 2 for
 * arguments that are none. {@code stress/run} sets the flags of the JVM that keep its own memory
 * still.
 */
public final class MillionThreads {
    /** Threads until the caches of the pool and of the C library are what they stay. */
    static final int WARM_UP = 20_000;

    /** Time until compilers are done, whose memory is no concern of ours, at rest. */
    private static final long WARM_UP_NANOS = 10_000_000_000L;

    /** On a busy machine they take longer: so long at most, until {@link #WARM_UP} add little. */
    private static final long WARM_UP_MAX_NANOS = 6 * WARM_UP_NANOS;

    /**
     * How often more threads run where the resident set is too large: stacks that the C library
     * keeps come and go, by some 10 MiB on a busy machine. What leaks does not go.
     */
    private static final int LOOKS = 5;

    /** Platform threads alive at one time. */
    private static final int PLATFORM_ALIVE = 64;

    /** Virtual threads alive at one time: more than there are slots for their slabs. */
    private static final int VIRTUAL_ALIVE = 512;

    private static final int PROGRESS_EVERY = 100_000;

    /** Slabs that one thread can hold at a time: of its own arena, and of three nested ones. */
    private static final long SLABS_PER_THREAD = 4;

    /** The chunk in which an arena goes on that outgrows its slab. */
    private static final long OUTGROWN_BYTES = 32 << 10;

    /** At least as many as the pool has slots for each processor, and in all. */
    private static final int SLOTS_PER_PROCESSOR_MAX = 64;

    private final boolean virtual;
    private final ArenaUse use = new ArenaUse();
    private final Thread[] alive;

    private MillionThreads(boolean virtual) {
        this.virtual = virtual;
        this.alive = new Thread[virtual ? VIRTUAL_ALIVE : PLATFORM_ALIVE];
    }

    /**
     * Runs the soak.
     *
     * @param arguments {@code platform} or {@code virtual}, then any of {@code --count N} and
     *     {@code --leak-every N}
     */
    public static void main(String[] arguments) throws InterruptedException {
        int count = 1_000_000;
        int leakEvery = 0;
        String kind = arguments.length > 0 ? arguments[0] : "";
        for (int i = 1; i + 1 < arguments.length; i += 2) {
            int value = Integer.parseInt(arguments[i + 1]);
            switch (arguments[i]) {
                case "--count" -> count = value;
                case "--leak-every" -> leakEvery = value;
                default -> kind = "";
            }
        }
        if ((!kind.equals("platform") && !kind.equals("virtual")) || arguments.length % 2 == 0) {
            System.err.println("MillionThreads platform|virtual [--count N] [--leak-every N]");
            System.exit(2);
        }
        boolean virtual = kind.equals("virtual");
        System.exit(new MillionThreads(virtual).soak(count, leakEvery) ? 0 : 1);
    }

    private boolean soak(int count, int leakEvery) throws InterruptedException {
        long begin = System.nanoTime();
        boolean isCanary = leakEvery > 0; // what leaks never comes to rest
        holdAllAtOnce();
        int warm = 0;
        Rss last;
        do {
            last = Rss.warm();
            run(warm, warm + WARM_UP);
            warm += WARM_UP;
        } while (!isCanary && isWarmingUp(System.nanoTime() - begin, last));
        System.out.printf("  %,d threads to warm up%n", warm);
        use.leakEvery(leakEvery);
        Rss rss = Rss.warm();
        run(warm, warm + count);
        int all = warm + count;
        for (int i = 0; i < LOOKS && !isCanary && !rss.isWithinLimit(); i++) {
            run(all, all + WARM_UP);
            all += WARM_UP;
        }
        long millis = (System.nanoTime() - begin) / 1_000_000;
        boolean still = rss.report();
        PoolStatistics stats = MemoryPool.common().stats();
        MemoryPool.common().trim();
        PoolStatistics trimmed = MemoryPool.common().stats();
        System.out.printf(
                "%,d %s threads in %.1f s; %,d threw, %,d nested, %,d outgrew, %,d waited%n",
                use.ran.sum(),
                virtual ? "virtual" : "platform",
                millis / 1e3,
                use.threw.sum(),
                use.nested.sum(),
                use.outgrew.sum(),
                use.waited.sum());
        System.out.printf(
                "pool: %,d threads known, %,d KiB committed, %,d KiB held; after a trim"
                        + " %,d bytes committed, %,d held%n",
                stats.arenas().threads(),
                stats.committedBytes() >> 10,
                stats.capacityBytes() >> 10,
                trimmed.committedBytes(),
                trimmed.capacityBytes());
        boolean bounded = isBounded(stats) && isEmpty(trimmed);
        boolean complete = use.ran.sum() == all && use.wasVaried();
        String verdict = still && bounded && complete ? "ok" : "FAILED";
        System.out.printf(
                "%s: RSS %s, pool %s, uses %s%n",
                verdict,
                still ? "still" : "grew",
                bounded ? "bounded" : "not bounded",
                complete ? "complete" : "not complete");
        return still && bounded && complete;
    }

    private static boolean isWarmingUp(long nanos, Rss last) {
        return nanos < WARM_UP_NANOS || (nanos < WARM_UP_MAX_NANOS && !last.isStill());
    }

    /**
     * Whether the pool is as small as it should be now that no thread is left: memory for all that
     * were alive at one time, twice because those that ended are not seen at once, and nearly all
     * of it free. Slots may hold some, and so may threads that ended and were not looked at yet.
     */
    private boolean isBounded(PoolStatistics stats) {
        long slots = SLOTS_PER_PROCESSOR_MAX * (long) Runtime.getRuntime().availableProcessors();
        long perThread = SLABS_PER_THREAD * stats.arenas().slabBytes();
        return stats.arenas().pooled()
                && stats.committedBytes() > 0
                && stats.committedBytes() <= 2L * alive.length * (perThread + OUTGROWN_BYTES)
                && stats.arenas().threads() <= 2 * alive.length
                && stats.capacityBytes()
                        <= slots * stats.arenas().slabBytes()
                                + stats.arenas().threads() * perThread;
    }

    /** Whether everything came back: a single arena left open shows here. */
    private static boolean isEmpty(PoolStatistics trimmed) {
        return trimmed.capacityBytes() == 0 && trimmed.committedBytes() == 0;
    }

    /** All that may be alive at one time are: stacks and slabs come to what they come to later. */
    private void holdAllAtOnce() throws InterruptedException {
        CountDownLatch open = new CountDownLatch(alive.length);
        CountDownLatch release = new CountDownLatch(1);
        for (int place = 0; place < alive.length; place++) {
            alive[place] = start(() -> use.hold(open, release));
        }
        open.await();
        release.countDown();
        join();
    }

    private Thread start(Runnable life) {
        Thread.Builder builder = virtual ? Thread.ofVirtual() : Thread.ofPlatform();
        return builder.uncaughtExceptionHandler(Failures::end).start(life);
    }

    private void join() throws InterruptedException {
        for (Thread thread : alive) {
            thread.join();
        }
    }

    private void run(int from, int to) throws InterruptedException {
        for (int i = from; i < to; i++) {
            int number = i;
            int place = i % alive.length;
            alive[place].join();
            alive[place] = start(() -> use.run(number));
            if (i > from && (i - from) % PROGRESS_EVERY == 0) {
                System.out.printf("  %,d threads, %s%n", i - from, Rss.show());
            }
        }
        join();
    }
}
