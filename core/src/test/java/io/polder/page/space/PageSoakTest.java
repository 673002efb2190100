package io.polder.page.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.arena.Seed;
import io.polder.memory.MemoryLimits;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** Four threads and the background: no request is refused while enough is free. */
class PageSoakTest extends PageFixture {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(200);

    private static final int THREADS = 4;
    private static final int OPERATIONS = 5000;
    private static final long LIMIT = 128 * MIB;

    @Test
    void soak_balancerAndDecay() {
        soak(new PageSettings(TimeUnit.MILLISECONDS.toNanos(4), true, false));
    }

    @Test
    void soak_noDefragmenter_shortDecay() {
        soak(new PageSettings(TimeUnit.MICROSECONDS.toNanos(200), false, false));
    }

    @Test
    void soak_noDecay() {
        soak(new PageSettings(TimeUnit.DAYS.toNanos(1), true, false));
    }

    private void soak(PageSettings settings) {
        long seed = Seed.get();
        PageSpace space =
                space(new MemoryLimits(LIMIT, MemoryLimits.ADDRESS_SPACE_BYTES), settings);
        Seed.naming(seed, () -> soak(space, new SplittableRandom(seed)));
    }

    private static void soak(PageSpace space, SplittableRandom random) {
        AtomicInteger granulesLeft = new AtomicInteger((int) (LIMIT / PageSpace.GRANULE_BYTES));
        ConcurrentMap<PageSoak.Operation, Integer> mix = new ConcurrentHashMap<>();
        List<CompletableFuture<Void>> threads = new ArrayList<>();
        for (int t = 0; t < THREADS; t++) {
            PageSoak soak = new PageSoak(space, granulesLeft, mix, random.split());
            threads.add(started(() -> soak.run(OPERATIONS)));
        }
        CompletableFuture<Void> all =
                CompletableFuture.allOf(threads.toArray(CompletableFuture[]::new));
        while (!all.isDone()) {
            PageCheck.verify(space);
            assertThat(space.statistics().committedBytes()).isLessThanOrEqualTo(LIMIT);
            LockSupport.parkNanos(1_000_000);
        }
        all.join();
        for (PageSoak.Operation operation : PageSoak.Operation.values()) {
            assertThat(mix.getOrDefault(operation, 0)).as("%s", operation).isGreaterThan(20);
        }
        assertThat(granulesLeft).hasValue((int) (LIMIT / PageSpace.GRANULE_BYTES));
        checkEmpty(space);
    }

    /** One run per reservation, and after a trim nothing. */
    private static void checkEmpty(PageSpace space) {
        assertThat(space.statistics().takenBytes()).isZero();
        assertThat(space.statistics().waiting()).isZero();
        long begin = System.nanoTime();
        while (true) {
            try {
                checkCold(space);
                break;
            } catch (AssertionError notYet) { // the background is at work for a moment still
                if (System.nanoTime() - begin > PATIENCE_NANOS) {
                    throw notYet;
                }
                LockSupport.parkNanos(1_000_000);
            }
        }
        space.trim();
        assertThat(space.statistics().reservedBytes()).isZero();
        assertThat(space.state.budget.committed.bytes()).isZero();
    }

    private static void checkCold(PageSpace space) {
        long _ = space.uncommitFree(Long.MAX_VALUE);
        PageCheck.verifyAtRest(space);
        synchronized (space.state) {
            space.state.recoverIfNeededLocked();
            assertThat(space.state.reserved)
                    .allMatch(reservation -> reservation.isWhole(PageReservation.Kind.COLD));
        }
    }

    private interface Work {
        void run() throws InterruptedException;
    }

    private static CompletableFuture<Void> started(Work work) {
        CompletableFuture<Void> end = new CompletableFuture<>();
        Thread.ofPlatform()
                .start(
                        () -> {
                            try {
                                work.run();
                                end.complete(null);
                            } catch (Throwable failure) {
                                end.completeExceptionally(failure);
                            }
                        });
        return end;
    }
}
