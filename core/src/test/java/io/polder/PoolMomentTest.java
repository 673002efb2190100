package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.page.PageStatistics;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;

/** The statistics of a pool are of one moment, while memory moves between chunks and pages. */
@Timeout(300)
@Tag("full")
class PoolMomentTest {
    private static final long MIB = 1 << 20;
    private static final int THREADS = 3;
    private static final int ROUNDS = 400;
    private static final int LOOKS_MIN = 10;

    @Test
    void stats_whileThreadsRun_addUpAndStayWithinTheLimits() throws Exception {
        try (MemoryPool pool =
                MemoryPool.builder()
                        .committedMaxBytes(24 * MIB)
                        .reservedMaxBytes(64 * MIB)
                        .decay(Duration.ofMillis(2))
                        .build()) {
            run(pool);
            Await.allIsGivenBack(pool);
        }
    }

    private static void run(MemoryPool pool) throws Exception {
        AtomicBoolean done = new AtomicBoolean();
        try (ExecutorService threads = Crew.of(THREADS + 1)) {
            List<Future<Integer>> users = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                int seed = i;
                users.add(threads.submit(() -> use(pool, new SplittableRandom(seed))));
            }
            Future<?> watcher = threads.submit(() -> watch(pool, done));
            int served = 0;
            try {
                for (Future<Integer> user : users) {
                    served += user.get();
                }
            } finally {
                done.set(true);
            }
            assertThat(served).as("in chunks and in pages").isGreaterThan(ROUNDS / 2);
            watcher.get();
        }
    }

    /** More than fits the limit together, so that chunks and pages take from each other. */
    private static int use(MemoryPool pool, SplittableRandom random) {
        int served = 0;
        for (int i = 0; i < ROUNDS; i++) {
            try (Arena arena = pool.openShared()) {
                if (random.nextBoolean()) {
                    arena.allocate((5 + random.nextInt(8)) * MIB);
                } else {
                    for (int k = random.nextInt(12); k >= 0; k--) {
                        arena.allocate(MIB);
                    }
                }
                served++;
            } catch (OutOfMemoryError full) {
                assertThat(full).hasMessageContaining("memory must stay within its limit");
            }
        }
        return served;
    }

    /** It may have had no turn before all was done. */
    private static void watch(MemoryPool pool, AtomicBoolean done) {
        for (int looks = 0; looks < LOOKS_MIN || !done.get(); looks++) {
            PoolStatistics now = pool.stats();
            assertThat(now.committedBytes()).isLessThanOrEqualTo(now.committedMaxBytes());
            assertThat(now.reservedBytes()).isLessThanOrEqualTo(now.reservedMaxBytes());
            long freeBytes = now.pages().committedBytes() - now.pages().takenBytes();
            for (PageStatistics.SizeClass each : now.freeChunks()) {
                freeBytes += each.bytes();
            }
            assertThat(now.usedBytes() + freeBytes)
                    .as(now.toString())
                    .isEqualTo(now.committedBytes());
            assertThat(now.committedBytes()).isLessThanOrEqualTo(now.reservedBytes());
            assertThat(now.committedTotalBytes() - now.uncommittedTotalBytes())
                    .isEqualTo(now.committedBytes());
        }
    }
}
