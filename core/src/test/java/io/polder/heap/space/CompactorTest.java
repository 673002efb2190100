package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.gate.Gate;
import io.polder.heap.HeapOptions;

import org.junit.jupiter.api.Test;

import java.util.List;

class CompactorTest extends EvacuationFixture {
    private static final RoomMaker.Wanted ONE_PAGE = RoomMaker.Wanted.page(RegionType.SMALL.bytes);

    /** More than any limit has room for. */
    private static final RoomMaker.Wanted TOO_MUCH = RoomMaker.Wanted.page(Long.MAX_VALUE >> 1);

    private final HeapSettings settings = HeapSettings.of(HeapOptions.DEFAULT);
    private final Gate access = new Gate(settings.fence());
    private final ToSpace toSpace = new ToSpace(regions, pages, settings);
    private final Evacuation evacuation = new Evacuation(table, map, toSpace, settings, counts);
    private final Cycle cycle = new Cycle(access, evacuation, toSpace, regions, pages, counts, 0);
    private final Compactor compactor = compactor(0);

    /** One that works by itself with a share of a processor; 0 for never. */
    private Compactor compactor(double share) {
        return new Compactor(
                cycle,
                new Allocator(regions, 1, toSpace),
                new TableCompaction(access, regions, leaves, counts),
                share,
                settings.threads());
    }

    @Override
    void giveBackMore() {
        compactor.close();
        leaves.giveUpAll();
    }

    @Test
    void makeRoom_nothingIsDead_saysNo() {
        Region region = region();
        long full = region.bytes();
        for (long i = 0; i < full / ObjectLayout.footprint(Long.BYTES); i++) {
            long _ = object(region, i);
        }
        region.retire();
        assertThat(compactor.makeRoom(TOO_MUCH)).isFalse();
    }

    /** By a thread that had looked whether the heap is open before another closed it. */
    @Test
    void compact_heapWasClosedMeanwhile_doesNothing() {
        Region region = region();
        region.retire();
        compactor.end(() -> {});
        assertThat(compactor.compact()).isZero();
        assertThat(compactor.makeRoom(ONE_PAGE)).isFalse();
        assertThat(regions.list()).contains(region);
        assertThat(regions.close(region)).isPositive();
    }

    /** As a cycle leaves it that is thrown out of its last grace period. */
    @Test
    void makeRoom_cycleThatWasCutOff_countsWhatItsEndGivesBack() {
        Region region = region();
        region.retire();
        region.setInCollectionSet(true);
        region.setPhase(Region.FINISHING);
        evacuation.setUnderWay(true);
        assertThat(compactor.makeRoom(ONE_PAGE)).isTrue();
        assertThat(evacuation.isUnderWay()).isFalse();
        assertThat(pages.takenBytes()).isZero();
        assertThat(counts.givenBackBytes.get()).isEqualTo(RegionType.SMALL.bytes);
    }

    /** As a cycle leaves it that ends early, or most of whose objects die before their copies. */
    @Test
    void idle_regionThatWasCopiedToIsMostlyEmpty_objectsMoveToASmallOne() throws Exception {
        Region region = region();
        long live = object(region, 7);
        region.retire();
        long large = 16 * RegionType.SMALL.bytes;
        CompactionPolicy.Round round = new CompactionPolicy.Round(List.of(region), large);
        long _ = cycle.run(round, throttle, () -> false);
        assertThat(regionOf(live).bytes()).isEqualTo(large);
        Region another = region();
        long dead = object(another, 8);
        another.retire();
        Compactor byItself = compactor(1);
        try {
            byItself.died(HandleWordLayout.address(table.word(dead)));
            while (regionOf(live).bytes() == large) {
                Thread.sleep(10); // about three seconds: first it must seem unused
            }
        } finally {
            byItself.close();
        }
        assertThat(content(live)).isEqualTo(7);
    }
}
