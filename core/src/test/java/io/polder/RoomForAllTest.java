package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.arena.Seed;
import io.polder.arena.TestScale;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Threads whose blocks fit a limit all together get them, whatever others have just freed. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RoomForAllTest {
    private static final int ROUNDS = TestScale.of(3, 10);
    private static final int REQUESTS = 200;
    private static final long MIB = 1 << 20;

    /** One thread may be off for longer than others are waited for. */
    private static final int REFUSED_SHARE = 500;

    private static final long PAUSE_NANOS = 50_000_000;

    @Test
    void allocate_allFitTogether_areNotRefused() throws Exception {
        long seed = Seed.get();
        SplittableRandom random = new SplittableRandom(seed);
        long requests = 0;
        long refused = 0;
        for (int round = 0; round < ROUNDS; round++) {
            int threads = 2 + random.nextInt(7);
            long chunkBytes = (128L << 10) << random.nextInt(5);
            refused += refused(random, threads, chunkBytes, random.nextBoolean());
            requests += (long) threads * REQUESTS;
        }
        assertThat(refused).as("seed=%d", seed).isLessThanOrEqualTo(requests / REFUSED_SHARE);
    }

    /** How often threads are refused of which each has one block at a time, of more than half. */
    private static long refused(
            SplittableRandom random, int threads, long chunkBytes, boolean checked)
            throws Exception {
        long limit = Math.max(4 * MIB, threads * chunkBytes * 5 / 4 + MIB);
        try (MemoryPool pool =
                MemoryPool.builder()
                        .name("room-for-all")
                        .committedMaxBytes(limit)
                        .checkBlocks(checked)
                        .build()) {
            List<FutureTask<Long>> all = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                SplittableRandom own = random.split();
                all.add(new FutureTask<>(() -> refused(pool.blocks(), own, chunkBytes)));
            }
            all.forEach(each -> Thread.ofPlatform().start(each));
            long refused = 0;
            for (FutureTask<Long> each : all) {
                refused += each.get(200, TimeUnit.SECONDS);
            }
            return refused;
        }
    }

    private static long refused(BlockAllocator blocks, SplittableRandom random, long chunkBytes) {
        long refused = 0;
        for (int i = 0; i < REQUESTS; i++) {
            try {
                blocks.freeAddress(
                        blocks.allocateAddress(random.nextLong(chunkBytes / 2 + 1, chunkBytes)));
            } catch (OutOfMemoryError full) {
                refused++;
                LockSupport.parkNanos(PAUSE_NANOS); // who lost his processor with it, refuses once
            }
        }
        return refused;
    }
}
