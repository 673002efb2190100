package io.polder.stress;

import io.polder.MemoryPool;
import io.polder.PoolStatistics;

import java.util.Arrays;

/**
 * Very many short threads, each with an arena: nothing may pile up.
 *
 * <pre>{@code
 *   thread   0 1 2 ... ALIVE-1 | ALIVE ...       each waits for the one that had its place
 *   place    0 1 2 ... ALIVE-1 | 0 1 2 ...
 * }</pre>
 *
 * <p>Compares the resident set after a warm-up of {@link #WARM_UP} threads or more with that
 * after all of them. Exit code: 0 if it grew by less than {@link Rss#GROWTH_MAX_BYTES}, every
 * thread ran, every kind of use was made and the pool is no larger than its threads need; 1 if not;
 * 2 for arguments that are none. {@code stress/run} sets the flags of the JVM that keep its own
 * memory still.
 */
public final class MillionThreads {
    /** Threads until the caches of the pool and of the C library are what they stay. */
    static final int WARM_UP = 20_000;

    /** Time until compilers are done, whose memory is no concern of ours. Seen to be enough. */
    private static final long WARM_UP_NANOS = 3_000_000_000L;

    /** Platform threads alive at one time. */
    private static final int PLATFORM_ALIVE = 64;

    /** Virtual threads alive at one time: more than there are slots for their slabs. */
    private static final int VIRTUAL_ALIVE = 512;

    private static final int PROGRESS_EVERY = 100_000;

    /** Slabs that one thread can hold: its outer arena, three nested ones, or as many cached. */
    private static final long SLABS_PER_THREAD = 8;

    private final boolean virtual;
    private final ArenaUse use;
    private final Thread[] alive;

    private MillionThreads(boolean virtual, ArenaUse use) {
        this.virtual = virtual;
        this.use = use;
        this.alive = new Thread[virtual ? VIRTUAL_ALIVE : PLATFORM_ALIVE];
        Arrays.setAll(alive, place -> Thread.ofVirtual().unstarted(() -> {}));
        for (Thread thread : alive) {
            thread.start(); // so that there is somebody to wait for in each place
        }
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
        ArenaUse use = new ArenaUse(leakEvery);
        System.exit(new MillionThreads(virtual, use).soak(count) ? 0 : 1);
    }

    private boolean soak(int count) throws InterruptedException {
        long begin = System.nanoTime();
        int warm = 0;
        do {
            run(warm, warm + WARM_UP);
            warm += WARM_UP;
        } while (System.nanoTime() - begin < WARM_UP_NANOS);
        System.out.printf("  %,d threads to warm up%n", warm);
        Rss rss = Rss.warm();
        run(warm, warm + count);
        long millis = (System.nanoTime() - begin) / 1_000_000;
        boolean still = rss.report();
        PoolStatistics stats = MemoryPool.common().stats();
        System.out.printf(
                "%,d %s threads in %.1f s; %,d threw, %,d nested, %,d outgrew, %,d waited; %s%n",
                use.ran.sum(),
                virtual ? "virtual" : "platform",
                millis / 1e3,
                use.threw.sum(),
                use.nested.sum(),
                use.outgrew.sum(),
                use.waited.sum(),
                stats);
        boolean bounded =
                stats.pooled()
                        && stats.slabs() > 0
                        && stats.slabs() <= SLABS_PER_THREAD * 2L * alive.length
                        && stats.threads() <= 2 * alive.length;
        boolean complete = use.ran.sum() == warm + count && use.wasVaried();
        String verdict = still && bounded && complete ? "ok" : "FAILED";
        System.out.printf(
                "%s: RSS %s, pool %s, uses %s%n",
                verdict,
                still ? "still" : "grew",
                bounded ? "bounded" : "not bounded",
                complete ? "complete" : "not complete");
        return still && bounded && complete;
    }

    private void run(int from, int to) throws InterruptedException {
        for (int i = from; i < to; i++) {
            int number = i;
            int place = i % alive.length;
            alive[place].join();
            Thread.Builder builder = virtual ? Thread.ofVirtual() : Thread.ofPlatform();
            alive[place] =
                    builder.uncaughtExceptionHandler(Failures::end).start(() -> use.run(number));
            if (i > from && (i - from) % PROGRESS_EVERY == 0) {
                System.out.printf("  %,d threads%n", i - from);
            }
        }
        for (Thread thread : alive) {
            thread.join();
        }
    }
}
