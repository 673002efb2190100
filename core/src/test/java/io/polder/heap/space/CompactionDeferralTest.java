package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.gate.ScriptedThread;
import io.polder.heap.HeapOptions;
import io.polder.heap.HeapStatistics;
import io.polder.heap.RelocatingHeap;
import io.polder.memory.MemoryExhaustedException;
import io.polder.page.space.Extent;
import io.polder.page.space.PageSpace;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Cycles that give nothing back are not done again and again. */
class CompactionDeferralTest extends HeapFixture {
    private static final int REGIONS = 9;
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    /** Tens of times in the first second, if it were tried at each tick. */
    @Test
    void everyCopyFails_isTriedLessAndLess() {
        HeapOptions options = HeapOptions.DEFAULT.withCompactionShare(1);
        RelocatingHeap heap =
                heap(pages(128 * MIB), HeapVariant.USUAL.failingEvery(1).settings(options));
        long[] handles = objects(heap, (int) (32 * MIB / KIB), KIB);
        thin(heap, handles, 2);
        long start = System.nanoTime();
        while (heap.stats().cycles() < 2 || System.nanoTime() - start < 2 * SECOND) {
            ScriptedThread.pause();
        }
        long seconds = 1 + (System.nanoTime() - start) / SECOND;
        assertThat(heap.stats().cycles()).isLessThan(8 + 2 * seconds);
        checkThinned(heap, handles, 2);
    }

    /** Others fill the pool: the heap tries a few times at most, and again when there is room. */
    @ParameterizedTest
    @ValueSource(longs = KIB)
    void noRoomInThePool_triesAgainWhenItComes(long bytes) {
        PageSpace pages = pages(128 * MIB);
        HeapOptions options = HeapOptions.DEFAULT.withCompactionShare(1);
        RelocatingHeap heap = heap(pages, HeapVariant.USUAL.settings(options));
        long[] handles = objects(heap, (int) (64 * MIB / bytes), bytes);
        List<Extent> others = new ArrayList<>();
        try {
            while (true) {
                others.add(pages.take(2 * MIB, false));
            }
        } catch (MemoryExhaustedException full) {
            assertThat(others).isNotEmpty();
        }
        thin(heap, handles, 4);
        long cycles = cyclesWhenItRests(heap);
        long regions = heap.stats().regionBytes();
        assertThat(cycles).as("tried, if there was any room").isLessThan(50);
        assertThat(regions).isGreaterThan(40 * MIB);
        others.forEach(page -> pages.give(page, 0));
        // A cycle counts when it has given back what it could, and has paused after that.
        while (heap.stats().regionBytes() > regions / 2 || heap.stats().cycles() <= cycles) {
            ScriptedThread.pause();
        }
        checkThinned(heap, handles, 4);
    }

    @Tag("full")
    @Test
    void noRoomInThePoolForMediumObjects_triesAgainWhenItComes() {
        noRoomInThePool_triesAgainWhenItComes(300 * KIB);
    }

    private static boolean isAsleep(Compactor compactor) {
        // The one that waits wakes the other, and the other way round
        return compactor.waiting.isAsleep()
                && compactor.task.isAsleep()
                && compactor.waiting.isAsleep();
    }

    /** A third of each region is dead. One is copied; then what is left has room for no other. */
    @Test
    void noCycleIsWorthIt_nobodyLooksBeforeSomethingChanges() {
        HeapOptions options = HeapOptions.DEFAULT.withCompactionShare(1);
        RelocatingHeap heap = heap(pages(512 * MIB), HeapVariant.USUAL.settings(options));
        long[] handles = objects(heap, 3 * REGIONS, RegionType.SMALL.bytes / 3 - KIB);
        for (int i = 0; i < REGIONS - 1; i++) {
            heap.free(handles[3 * i]);
        }
        HeapSpace space = space(heap);
        while (heap.stats().cycles() == 0 || !isAsleep(space.compactor)) {
            ScriptedThread.pause();
        }
        long cycles = heap.stats().cycles();
        assertThat(CompactionPolicy.gainMax(space.regions.list(), false)).isPositive();
        boolean _ =
                space.compactor.locked( // all at once
                        () -> {
                            for (int i = 1; i < REGIONS - 1; i++) {
                                heap.free(handles[3 * i + 1]);
                            }
                            return true;
                        });
        while (heap.stats().cycles() == cycles || !isAsleep(space.compactor)) {
            ScriptedThread.pause();
        }
        assertThat(heap.stats().filledBytes() - heap.stats().liveBytes()).isZero();
    }

    /** How many cycles there were when there were no more for many periods. */
    private static long cyclesWhenItRests(RelocatingHeap heap) {
        long since = System.nanoTime();
        HeapStatistics now = heap.stats();
        while (System.nanoTime() - since < SECOND / 2) {
            HeapStatistics before = now;
            now = heap.stats();
            if (now.cycles() != before.cycles()) {
                since = System.nanoTime();
            }
            ScriptedThread.pause();
        }
        return now.cycles();
    }
}
