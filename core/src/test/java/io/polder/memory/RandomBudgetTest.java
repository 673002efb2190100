package io.polder.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.Crew;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;

/** Two parts of a pool that take, give, and make room for each other, at random. */
@Timeout(300)
class RandomBudgetTest {
    private static final int OPERATIONS = 4000;
    private static final int THREADS = 4;
    private static final long LIMIT = MemoryLimits.LEAST_BYTES;

    private final MemoryBudget budget = new MemoryBudget(new MemoryLimits(LIMIT, LIMIT), "");
    private final Part[] parts = {new Part(), new Part()};

    /** What one part counts itself; free memory is used again before more is charged. */
    private final class Part implements MemoryBudget.Shrinker {
        private long used;
        private long free;

        Part() {
            budget.add(this);
        }

        boolean take(long bytes) {
            while (!takeFree(bytes)) {
                if (budget.reserved.tryCharge(bytes)) {
                    if (commit(bytes)) {
                        return true;
                    }
                    budget.reserved.refund(bytes);
                    return false;
                }
                if (!budget.reserved.makeRoom(bytes)) {
                    return false;
                }
            }
            return true;
        }

        private synchronized boolean takeFree(long bytes) {
            if (free < bytes) {
                return false;
            }
            free -= bytes;
            used += bytes;
            return true;
        }

        private boolean commit(long bytes) {
            while (!budget.committed.tryCharge(bytes)) {
                if (!budget.committed.makeRoom(bytes)) {
                    return false;
                }
            }
            synchronized (this) {
                used += bytes;
            }
            return true;
        }

        synchronized void give(long bytes) {
            used -= bytes;
            free += bytes;
        }

        synchronized long has() {
            return used + free;
        }

        @Override
        public long uncommitFree(long wantedBytes) {
            return giveUp(wantedBytes);
        }

        @Override
        public long releaseFree(long wantedBytes) {
            return giveUp(wantedBytes);
        }

        private synchronized long giveUp(long wantedBytes) {
            long bytes = Math.min(wantedBytes, free);
            free -= bytes;
            budget.committed.refund(bytes);
            budget.reserved.refund(bytes);
            return bytes;
        }
    }

    @Test
    void oneThread_neverRefusedWhileEnoughIsFree() {
        long seed = System.nanoTime();
        System.out.println("RandomBudgetTest: seed=" + seed);
        SplittableRandom random = new SplittableRandom(seed);
        int[] mix = new int[3];
        for (int i = 0; i < OPERATIONS; i++) {
            Part part = parts[random.nextInt(2)];
            long bytes = 1 + random.nextLong(LIMIT / 4);
            if (random.nextInt(3) > 0) {
                long usedBefore = parts[0].used + parts[1].used;
                boolean taken = part.take(bytes);
                assertThat(taken).isEqualTo(usedBefore + bytes <= LIMIT);
                mix[taken ? 0 : 1]++;
            } else if (part.used > 0) {
                part.give(Math.min(bytes * 2, part.used));
                mix[2]++;
            }
            assertSumsAgree();
        }
        assertThat(Arrays.stream(mix).min().orElseThrow())
                .as("taken, refused, given: %s", Arrays.toString(mix))
                .isGreaterThan(OPERATIONS / 20);
    }

    @Test
    void threads_neverExceedTheLimit() throws Exception {
        AtomicBoolean done = new AtomicBoolean();
        try (ExecutorService threads = Crew.of(THREADS + 1)) {
            List<Future<Integer>> takers = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                int number = i;
                takers.add(threads.submit(() -> takeAndGive(new SplittableRandom(number))));
            }
            Future<?> watcher = threads.submit(() -> watch(done));
            int taken = 0;
            try {
                for (Future<Integer> taker : takers) {
                    taken += taker.get();
                }
            } finally {
                done.set(true);
            }
            watcher.get();
            assertThat(taken).isGreaterThan(OPERATIONS / 20);
        }
        assertSumsAgree();
        assertThat(parts[0].used + parts[1].used).isZero();
        assertThat(budget.committed.makeRoom(LIMIT)).isTrue();
        assertThat(parts[0].has() + parts[1].has()).isZero();
        assertSumsAgree();
    }

    private int takeAndGive(SplittableRandom random) {
        int taken = 0;
        for (int i = 0; i < OPERATIONS; i++) {
            Part part = parts[random.nextInt(2)];
            long bytes = 1 + random.nextLong(LIMIT / 2);
            if (part.take(bytes)) {
                taken++;
                part.give(bytes);
            }
        }
        return taken;
    }

    /** A part is never seen with more than is charged, nor that beyond the limit. */
    private void watch(AtomicBoolean done) {
        while (!done.get()) {
            for (Part part : parts) {
                synchronized (part) {
                    assertThat(part.has()).isLessThanOrEqualTo(budget.committed.bytes());
                }
            }
            assertThat(budget.committed.bytes()).isBetween(0L, LIMIT);
            assertThat(budget.reserved.bytes()).isBetween(0L, LIMIT);
        }
    }

    private void assertSumsAgree() {
        long sum = parts[0].has() + parts[1].has();
        assertThat(budget.committed.bytes()).isEqualTo(sum);
        assertThat(budget.reserved.bytes()).isEqualTo(sum);
    }
}
