package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.gate.Gate;
import io.polder.heap.EvacuationFailurePolicy;
import io.polder.heap.HeapOptions;
import io.polder.heap.space.CompactionPolicy.Round;
import io.polder.memory.ProcessFence;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Objects;

/** What a cycle leaves of the room that it had to copy to. */
class ToSpaceTest extends EvacuationFixture {
    private static final long BYTES = RegionType.SMALL.bytes;
    private static final long FOOTPRINT = ObjectLayout.footprint(Long.BYTES);

    /** Of a page for the table, two regions, and the reserve. */
    private static final long LIMIT = 4 * BYTES;

    private final HeapSettings settings = HeapSettings.of(HeapOptions.DEFAULT);
    private final ToSpace toSpace = new ToSpace(regions, pages, settings);

    private long copy(long bytes) {
        return toSpace.allocate(bytes, ObjectLayout.header(bytes - 8, ObjectLayout.NO_INDEX));
    }

    /** Evacuates regions, where every so-manieth copy fails; returns what that has saved. */
    private long cycle(int failEvery, long pageBytes, Region... collectionSet) {
        HeapSettings failing = settings.withFailEvery(failEvery);
        ToSpace to = new ToSpace(regions, pages, failing);
        Evacuation evacuation = new Evacuation(table, map, to, failing, counts);
        Cycle cycle =
                new Cycle(
                        new Gate(ProcessFence.ofThisProcess()),
                        evacuation,
                        to,
                        regions,
                        pages,
                        counts,
                        0);
        for (Region region : collectionSet) {
            region.retire();
        }
        return cycle.run(new Round(List.of(collectionSet), pageBytes), throttle, () -> false);
    }

    @Test
    void nothingWasCopied_thePageGoesBack() {
        assertThat(toSpace.begin(BYTES)).isTrue();
        assertThat(pages.takenBytes()).isEqualTo(BYTES);
        assertThat(toSpace.end()).isZero();
        assertThat(pages.takenBytes()).isZero();
    }

    /** Of a full heap: threads that allocate would take it before the table has it. */
    @Test
    void reserveThatIsGivenForTheTable_isNotKeptAgainForARegion() {
        HeapPages within = pagesWithin(LIMIT);
        Regions all = new Regions(within, map, new Loans());
        HeapOptions options = HeapOptions.DEFAULT.withMaxBytes(LIMIT);
        ToSpace limited = new ToSpace(all, within, HeapSettings.of(options));
        for (int i = 0; i < 2; i++) {
            Region _ = all.open(RegionType.SMALL, BYTES);
        }
        limited.seeToReserve();
        assertThat(within.reservedBytes).isEqualTo(BYTES);
        limited.giveReserve();
        assertThat(limited.regionBytes(RegionType.SMALL, FOOTPRINT)).isEqualTo(BYTES);
        assertThat(within.reservedBytes).isZero();
        assertThat(limited.end()).isZero();
        assertThat(within.reservedBytes).isEqualTo(BYTES);
        all.closeAll();
    }

    /** Pages that lie apart are none for what needs both. */
    @Test
    void close_largerThanEachPageOfTheReserve_isTheReserve() {
        HeapPages within = pagesWithin(4 * LIMIT);
        Regions all = new Regions(within, map, new Loans());
        ToSpace limited = new ToSpace(all, within, settings.withReserve(true));
        Region region = all.open(RegionType.SMALL, 2 * BYTES);
        for (int i = 0; i < 2; i++) {
            Region _ = all.open(RegionType.SMALL, 2 * BYTES);
        }
        limited.seeToReserve();
        within.reserveBytes = 2 * BYTES;
        limited.seeToReserve();
        assertThat(all.list()).hasSize(3 + 2);
        region.retire();
        assertThat(limited.close(region)).isEqualTo(2 * BYTES);
        limited.seeToReserve();
        assertThat(within.reservedBytes).isEqualTo(2 * BYTES);
        assertThat(all.list()).hasSize(3).allMatch(each -> each.bytes() == 2 * BYTES);
        all.closeAll();
    }

    @Test
    void restOfACopy_isForNewObjects_onceAndNotInACycle() {
        assertThat(toSpace.begin(BYTES)).isTrue();
        assertThat(copy(BYTES / 2)).isNotZero();
        assertThat(toSpace.takeRest(FOOTPRINT)).isNull();
        assertThat(toSpace.end()).isZero();
        assertThat(toSpace.hasRest(ToSpace.REST_OBJECTS * FOOTPRINT)).isTrue();
        assertThat(toSpace.hasRest(ToSpace.REST_OBJECTS * BYTES / 4))
                .as("not for many of them")
                .isFalse();
        assertThat(toSpace.hasRest(Long.MAX_VALUE)).isFalse();
        Region rest = Objects.requireNonNull(toSpace.takeRest(FOOTPRINT));
        assertThat(rest.isRetired()).isFalse();
        assertThat(toSpace.hasRest(ToSpace.REST_OBJECTS * FOOTPRINT)).isFalse();
        assertThat(toSpace.takeRest(FOOTPRINT)).isNull();
    }

    @Test
    void end_saysWhatIsLeftOfTheRegionThatIsRetired() {
        assertThat(toSpace.begin(BYTES)).isTrue();
        assertThat(copy(BYTES / 2)).isNotZero();
        assertThat(toSpace.end()).isZero();
        assertThat(toSpace.begin(2 * BYTES)).isTrue();
        assertThat(copy(BYTES)).isNotZero(); // the half that is left has no room for it
        assertThat(toSpace.end()).isEqualTo(BYTES / 2);
    }

    @Test
    void cycle_ofARegionThatIsHalfDead_saves() {
        Region region = region();
        long kept = object(region, 1);
        long freed = object(region, 2);
        long _ = evacuation(EvacuationFailurePolicy.PIN, 0).free(freed, GENERATION);
        long _ = region.died(FOOTPRINT);
        assertThat(cycle(0, BYTES, region)).isEqualTo(BYTES - FOOTPRINT);
        assertThat(content(kept)).isEqualTo(1);
    }

    /** Whatever others allocate or free meanwhile: only what the cycle has done counts. */
    @Test
    void cycle_inWhichEveryCopyFails_savesNothing() {
        Region region = region();
        long kept = object(region, 1);
        long taken = pages.takenBytes();
        assertThat(cycle(1, BYTES, region)).isZero();
        assertThat(pages.takenBytes()).as("the page to copy to is not kept").isEqualTo(taken);
        assertThat(content(kept)).isEqualTo(1);
    }
}
