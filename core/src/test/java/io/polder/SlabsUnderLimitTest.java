package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;

/** Arenas of many threads, each in a slab, bar little of a limit from others. */
class SlabsUnderLimitTest {
    private static final int ROUNDS = 12;
    private static final int THREADS = 70;
    private static final long OS_PAGE = 4096;
    private static final long PIECE = 60_000;

    @Test
    void open_smallArenasOfManyThreads_leaveThreeFourthsOfTheLimit() throws Exception {
        long seed = System.nanoTime();
        SplittableRandom random = new SplittableRandom(seed);
        for (int round = 0; round < ROUNDS; round++) {
            long limit = (4L << 20) * (1 + random.nextInt(8));
            long slab = 2048L << random.nextInt(10);
            int count = 1 << random.nextInt(7);
            boolean virtual = random.nextBoolean();
            try (MemoryPool pool =
                    MemoryPool.builder().committedMaxBytes(limit).slabs(slab, count).build()) {
                long left = limit - limit / 4 - THREADS * OS_PAGE;
                assertThat(piecesBesideOthers(pool, virtual, limit / PIECE))
                        .as(
                                "seed=%s, limit=%s, slab=%s, count=%s, virtual=%s",
                                seed, limit, slab, count, virtual)
                        .isGreaterThanOrEqualTo(left / (PIECE + 2 * OS_PAGE));
            }
        }
    }

    /** How many arenas have room while each of some threads has a small one open. */
    private static long piecesBesideOthers(MemoryPool pool, boolean virtual, long most)
            throws InterruptedException {
        CountDownLatch opened = new CountDownLatch(THREADS);
        CountDownLatch end = new CountDownLatch(1);
        List<Thread> threads = new ArrayList<>();
        Runnable user =
                () -> {
                    try (Arena arena = pool.openConfined()) {
                        arena.allocate(100);
                        opened.countDown();
                        Await.open(end);
                    } finally {
                        opened.countDown(); // also where it is refused
                    }
                };
        for (int i = 0; i < THREADS; i++) {
            threads.add(
                    virtual ? Thread.startVirtualThread(user) : Thread.ofPlatform().start(user));
        }
        Await.open(opened);
        List<Arena> pieces = new ArrayList<>();
        try {
            while (pieces.size() < most) {
                Arena arena = pool.openShared();
                pieces.add(arena);
                arena.allocate(PIECE);
            }
            return pieces.size();
        } catch (OutOfMemoryError full) {
            return pieces.size() - 1L;
        } finally {
            pieces.forEach(Arena::close);
            end.countDown();
            for (Thread each : threads) {
                Await.end(each);
            }
        }
    }
}
