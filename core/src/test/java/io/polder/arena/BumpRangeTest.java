package io.polder.arena;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.Await;
import io.polder.Crew;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;

/** A range that threads take from until somebody freezes it. Addresses only: nothing is written. */
class BumpRangeTest {
    private static final long TOP = 0x1000;
    private static final long LIMIT = 0x2000;

    private static final int FIRST_TAKES = 100;
    private static final long TAKEN_BYTES_MAX = 40;

    private final BumpRange range = new BumpRange(TOP, LIMIT);

    private record Taken(long start, long end) {}

    @Test
    void tryTake_untilFull_isGapless() {
        for (long start = TOP; start < LIMIT; start += 256) {
            assertThat(range.tryTake(256, 1)).isEqualTo(start);
        }
        assertThat(range.tryTake(1, 1)).isEqualTo(BumpRange.NONE);
        assertThat(range.freeze()).isEqualTo(LIMIT);
    }

    @Test
    void tryTake_aligned_leavesAGap() {
        assertThat(range.tryTake(1, 1)).isEqualTo(TOP);
        assertThat(range.tryTake(1, 64)).isEqualTo(TOP + 64);
        assertThat(range.tryTake(1, 16)).isEqualTo(TOP + 80);
        assertThat(range.freeze()).isEqualTo(TOP + 81);
    }

    @Test
    void tryTake_exactlyTheRest_fits() {
        assertThat(range.tryTake(LIMIT - TOP + 1, 1)).isEqualTo(BumpRange.NONE);
        assertThat(range.tryTake(LIMIT - TOP, 1)).isEqualTo(TOP);
        assertThat(range.tryTake(1, 1)).isEqualTo(BumpRange.NONE);
    }

    @Test
    void tryTake_thatDoesNotFit_changesNothing() {
        assertThat(range.tryTake(LIMIT, 1)).isEqualTo(BumpRange.NONE);
        assertThat(range.tryTake(Long.MAX_VALUE, 1)).isEqualTo(BumpRange.NONE);
        assertThat(range.tryTake(1, 1L << 62)).isEqualTo(BumpRange.NONE);
        assertThat(range.tryTake(Long.MAX_VALUE, 1L << 62)).isEqualTo(BumpRange.NONE);
        assertThat(range.tryTake(1, 0x2000)).as("aligned, it is at the end").isEqualTo(0);
        assertThat(range.freeze()).isEqualTo(TOP);
    }

    @Test
    void tryTake_frozen_neverFits() {
        assertThat(range.freeze()).isEqualTo(TOP);
        for (int shift = 0; shift < Long.SIZE - 1; shift++) {
            assertThat(range.tryTake(1, 1L << shift)).isEqualTo(BumpRange.NONE);
            assertThat(range.tryTake(1L << shift, 1)).isEqualTo(BumpRange.NONE);
            assertThat(range.tryTake(Long.MAX_VALUE, 1L << shift)).isEqualTo(BumpRange.NONE);
            assertThat(BumpRange.EMPTY.tryTake(1, 1L << shift)).isEqualTo(BumpRange.NONE);
            assertThat(BumpRange.EMPTY.tryTake(1L << shift, 1)).isEqualTo(BumpRange.NONE);
        }
    }

    /** What was taken does not overlap, and lies below what the freeze returned. */
    @Test
    void tryTake_byFourThreadsUntilFrozen_endsWhereTheFreezeSays() throws Exception {
        takeByFourThreadsUntilFrozen(10);
    }

    @Tag("full")
    @Test
    void tryTake_byFourThreadsUntilFrozenOften_endsWhereTheFreezeSays() throws Exception {
        takeByFourThreadsUntilFrozen(50);
    }

    private static void takeByFourThreadsUntilFrozen(int rounds) throws Exception {
        for (int round = 0; round < rounds; round++) {
            CyclicBarrier allTake = new CyclicBarrier(5);
            BumpRange shared = new BumpRange(TOP, 1L << 40);
            List<Taken> taken = new ArrayList<>();
            long end;
            try (ExecutorService threads = Crew.of(4)) {
                List<Future<List<Taken>>> futures = new ArrayList<>();
                for (int i = 0; i < 4; i++) {
                    long alignment = 1L << i;
                    futures.add(threads.submit(() -> takeUntilFrozen(shared, alignment, allTake)));
                }
                Await.all(allTake);
                Await.until(() -> shared.tryTake(1, 1) >= TOP + 5 * FIRST_TAKES * TAKEN_BYTES_MAX);
                end = shared.freeze();
                for (Future<List<Taken>> future : futures) {
                    assertThat(future.get()).hasSizeGreaterThanOrEqualTo(FIRST_TAKES);
                    taken.addAll(future.get());
                }
            }
            taken.sort(Comparator.comparingLong(Taken::start));
            long before = TOP;
            for (Taken each : taken) {
                assertThat(each.start()).isGreaterThanOrEqualTo(before);
                before = each.end();
            }
            assertThat(before).isLessThanOrEqualTo(end);
        }
    }

    /** All threads have taken some, and are about to take more, when the barrier opens. */
    private static List<Taken> takeUntilFrozen(
            BumpRange range, long alignment, CyclicBarrier allTake) throws Exception {
        List<Taken> taken = new ArrayList<>();
        for (long bytes = 1; ; bytes = 1 + bytes % TAKEN_BYTES_MAX) {
            if (taken.size() == FIRST_TAKES) {
                Await.all(allTake);
            }
            long start = range.tryTake(bytes, alignment);
            if (start == BumpRange.NONE) {
                return taken;
            }
            taken.add(new Taken(start, start + bytes));
        }
    }
}
