package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.gate.ScriptedThread;
import io.polder.heap.HeapOptions;
import io.polder.page.space.PageSpace;

import org.junit.jupiter.api.Test;

import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** From two regions on there is a reserve, also while several threads open or give back some. */
class ReserveRaceTest extends SpaceFixture {
    private static final int ROUNDS = 1000;
    private static final long PAGE = PageSpace.GRANULE_BYTES;
    private static final long OBJECT = 1000;

    /** The parts of a heap with the smallest limit. */
    private record Parts(HeapPages pages, Regions regions, ToSpace toSpace, Allocator allocator) {
        void open(int stripe) {
            assertThat(allocator.open(RegionType.SMALL, OBJECT, stripe)).isNull();
        }
    }

    private void inParts(Consumer<Parts> test) {
        long limit = HeapOptions.MAX_BYTES_MIN;
        HeapPages its = pagesWithin(limit);
        Regions regionsWithin = new Regions(its, map, new Loans());
        HeapSettings settings = HeapSettings.of(HeapOptions.DEFAULT.withMaxBytes(limit));
        ToSpace toSpace = new ToSpace(regionsWithin, its, settings);
        try {
            Allocator allocator = new Allocator(regionsWithin, 2, toSpace);
            test.accept(new Parts(its, regionsWithin, toSpace, allocator));
        } finally {
            regionsWithin.closeAll();
        }
    }

    @Test
    void firstRegions_openedAtTheSameTime_haveAReserve() {
        AtomicInteger arrived = new AtomicInteger();
        try (ScriptedThread other = ScriptedThread.platform()) {
            for (int round = 0; round < ROUNDS; round++) {
                int both = 2 * (round + 1);
                inParts(
                        parts -> {
                            FutureTask<Boolean> second =
                                    other.begin(
                                            () -> {
                                                open(parts, 1, arrived, both);
                                                return true;
                                            });
                            open(parts, 0, arrived, both);
                            assertThat(ScriptedThread.get(second)).isTrue();
                            assertThat(parts.pages.reservedBytes).isEqualTo(PAGE);
                        });
            }
        }
    }

    /** Waits awake for the other thread: whoever sleeps before it opens one comes too late. */
    private static void open(Parts parts, int stripe, AtomicInteger arrived, int wanted) {
        int _ = arrived.incrementAndGet();
        while (arrived.get() < wanted) {
            Thread.onSpinWait();
        }
        parts.open(stripe);
    }

    /** What was kept for a region that is being opened is not given back before it is there. */
    @Test
    void reserveOfARegionThatIsBeingOpened_stays() {
        inParts(
                parts -> {
                    parts.open(0);
                    parts.open(1);
                    Region second = parts.regions.list().getLast();
                    second.retire();
                    assertThat(parts.regions.close(second)).isEqualTo(PAGE);
                    try (ScriptedThread opener = ScriptedThread.platform();
                            ScriptedThread compactor = ScriptedThread.platform()) {
                        FutureTask<Boolean> opened;
                        FutureTask<Boolean> seen;
                        synchronized (parts.pages) {
                            opened = opener.beginBlocking(() -> parts.open(1));
                            seen = compactor.beginBlocking(parts.toSpace::seeToReserve);
                        }
                        assertThat(ScriptedThread.get(opened)).isFalse();
                        assertThat(ScriptedThread.get(seen)).isFalse();
                    }
                    assertThat(parts.pages.reservedBytes).isEqualTo(PAGE);
                });
    }
}
