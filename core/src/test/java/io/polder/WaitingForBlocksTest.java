package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.arena.OtherThread;
import io.polder.arena.Seed;
import io.polder.arena.TestScale;
import io.polder.page.Page;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;

/** Threads that wait for memory which blocks have: no matter who frees it, and how. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WaitingForBlocksTest {
    private static final long GRANULE = 2 << 20;
    private static final Duration LONG = Duration.ofDays(1);
    private static final int ROUNDS = TestScale.of(12, 50);

    @Test
    void wait_blocksAreFreed_isServed() {
        long seed = Seed.get();
        SplittableRandom random = new SplittableRandom(seed);
        Seed.naming(
                seed,
                () -> {
                    for (int round = 0; round < ROUNDS; round++) {
                        oneRound(random);
                    }
                });
    }

    private static void oneRound(SplittableRandom random) throws Exception {
        long granules = random.nextInt(2, 12);
        long wanted = GRANULE * random.nextLong(granules / 2 + 1, granules + 1);
        try (MemoryPool pool =
                MemoryPool.builder()
                        .committedMaxBytes(granules * GRANULE)
                        .decay(Duration.ofDays(1))
                        .build()) {
            long bytes = 1L << random.nextInt(8, 23);
            List<Long> blocks = fill(pool.blocks(), bytes + random.nextLong(bytes));
            CompletableFuture<Thread> waiting =
                    Waiter.start(Thread.ofPlatform().factory(), () -> waitFor(pool, wanted));
            // Large blocks may leave enough that it need not wait.
            Await.until("it waits", () -> waiting.isDone() || pool.stats().pages().waiting() == 1);
            switch (random.nextInt(3)) {
                case 0 -> blocks.forEach(pool.blocks()::freeAddress);
                case 1 ->
                        assertThat(
                                        OtherThread.platform(
                                                () -> {
                                                    blocks.forEach(pool.blocks()::freeAddress);
                                                    return true;
                                                }))
                                .isTrue();
                default -> {
                    for (int i = 0; i < blocks.size(); i++) {
                        blocks.set(i, pool.blocks().reallocateAddress(blocks.get(i), 1));
                    }
                    blocks.forEach(pool.blocks()::freeAddress);
                }
            }
            assertThat(waiting.get()).isNotNull();
        }
    }

    private static List<Long> fill(BlockAllocator blocks, long bytes) {
        List<Long> all = new ArrayList<>();
        try {
            while (true) {
                all.add(blocks.allocateAddress(bytes));
            }
        } catch (OutOfMemoryError full) {
            return all;
        }
    }

    private static void waitFor(MemoryPool pool, long bytes) throws Exception {
        Page page = pool.pages().allocate(bytes, LONG);
        page.close();
    }
}
