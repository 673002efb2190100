package io.polder.stress.soak;

import io.polder.MemoryPool;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicReference;

/**
 * What the server does: requests of all kinds, on threads that come and go.
 *
 * <pre>{@code
 *   platform lane:  | thread: some hundred requests | thread: some hundred requests | ...
 *   virtual lane:   | 64 threads, a few requests each | 64 threads, a few requests each | ...
 * }</pre>
 */
final class Traffic {
    private static final int PLATFORM_LANES = 3;
    private static final int VIRTUAL_LANES = 1;
    private static final int PLATFORM_REQUESTS = 400;
    private static final int VIRTUAL_THREADS = 64;
    private static final int VIRTUAL_REQUESTS = 4;

    /** How much longer than its time a round may take: a request may wait for memory. */
    private static final long PATIENCE_MILLIS = 300_000;

    private static final int ARENA_PLACES = 200;
    private static final int BLOCK_PLACES = 2_000;
    private static final int PAGE_PLACES = 12;

    private final Places arenas;
    private final Places blocks;
    private final Places pages;
    private final List<Work> works;
    private final int weights;
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private volatile boolean over;

    /**
     * Prepares it.
     *
     * @param leakEvery of what is left for others one in so many is forgotten, 0 for none
     */
    Traffic(Pools pools, int leakEvery) {
        this.arenas = new Places(ARENA_PLACES, leakEvery);
        this.blocks = new Places(BLOCK_PLACES, leakEvery);
        this.pages = new Places(PAGE_PLACES, leakEvery);
        ArenaRequests withArenas = new ArenaRequests(arenas);
        BlockRequests withBlocks = new BlockRequests(blocks);
        PageRequests withPages = new PageRequests(pages);
        this.works =
                List.of(
                        new Work("confined", 4_000, r -> withArenas.confined(pools.any(r), r)),
                        new Work(
                                "shared", 200, r -> withArenas.shared(pools.any(r)::openShared, r)),
                        new Work(
                                "deferred",
                                1_000,
                                r -> withArenas.shared(pools.any(r)::openSharedDeferred, r)),
                        new Work("freeing", 500, r -> withArenas.freeing(pools.any(r), r)),
                        new Work("blocks", 2_000, r -> withBlocks.allocate(pools.any(r), r)),
                        new Work("pages", 60, r -> withPages.take(pools.any(r), r)),
                        new Work("pages expected", 5, r -> withPages.expect(pools.any(r), r)),
                        new Work("heaps", 4_000, r -> pools.objects(r).use(r)),
                        new Work("trim", 2, r -> trim(pools.any(r))),
                        new Work("statistics", 2, r -> look(pools.any(r))));
        this.weights = works.stream().mapToInt(Work::weight).sum();
    }

    private static void trim(MemoryPool pool) {
        long _ = pool.trim();
    }

    /** As who watches the server does. */
    private static void look(MemoryPool pool) {
        if (pool.report().isEmpty() || pool.map().toString().isEmpty()) {
            throw new AssertionError("a pool in use has a report and a map: " + pool);
        }
    }

    List<Work> works() {
        return works;
    }

    /** Requests that were done or refused so far. */
    long requests() {
        return works.stream().mapToLong(work -> work.done() + work.refused()).sum();
    }

    /**
     * Starts the lanes; they end when {@link #end} is called.
     *
     * @param random the seed of all that they do
     */
    List<Thread> begin(SplittableRandom random) {
        over = false;
        List<Thread> lanes = new ArrayList<>();
        for (int lane = 0; lane < PLATFORM_LANES; lane++) {
            SplittableRandom own = random.split();
            lanes.add(start(() -> lane(own, Thread.ofPlatform().factory(), 1, PLATFORM_REQUESTS)));
        }
        for (int lane = 0; lane < VIRTUAL_LANES; lane++) {
            SplittableRandom own = random.split();
            ThreadFactory virtual = Thread.ofVirtual().factory();
            lanes.add(start(() -> lane(own, virtual, VIRTUAL_THREADS, VIRTUAL_REQUESTS)));
        }
        return lanes;
    }

    private Thread start(Lane lane) {
        return Thread.ofPlatform().daemon().start(noting(lane));
    }

    @FunctionalInterface
    private interface Lane {
        void run() throws InterruptedException;
    }

    /** The first thing that is thrown in any thread ends it all. */
    private Runnable noting(Lane lane) {
        return () -> {
            try {
                lane.run();
            } catch (Throwable thrown) {
                failure.compareAndSet(null, thrown);
                over = true;
            }
        };
    }

    private void lane(SplittableRandom random, ThreadFactory factory, int threads, int requests)
            throws InterruptedException {
        while (!over) {
            List<Thread> started = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                SplittableRandom own = random.split();
                Thread thread = factory.newThread(noting(() -> serve(own, requests)));
                thread.start();
                started.add(thread);
            }
            for (Thread thread : started) {
                thread.join();
            }
        }
    }

    private void serve(SplittableRandom random, int requests) throws InterruptedException {
        for (int i = 0; i < requests && !over; i++) {
            pick(random).run(random);
        }
    }

    private Work pick(SplittableRandom random) {
        int dice = random.nextInt(weights);
        for (Work work : works) {
            dice -= work.weight();
            if (dice < 0) {
                return work;
            }
        }
        throw new AssertionError("the weights of all works make the sum of them");
    }

    boolean isOver() {
        return over;
    }

    /**
     * Ends all threads, and ends all that they have left.
     *
     * @throws AssertionError if one threw something, or does not end
     */
    void end(List<Thread> lanes) throws InterruptedException {
        over = true;
        for (Thread lane : lanes) {
            lane.join(PATIENCE_MILLIS);
            if (lane.isAlive()) {
                throw new AssertionError("all requests end: " + Hang.dump());
            }
        }
        Throwable thrown = failure.get();
        if (thrown != null) {
            throw new AssertionError("a request fails for want of memory only", thrown);
        }
        arenas.clear();
        blocks.clear();
        pages.clear();
    }
}
