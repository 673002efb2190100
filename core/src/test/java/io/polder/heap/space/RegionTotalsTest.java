package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.ArrayDeque;
import java.util.Deque;

class RegionTotalsTest extends SpaceFixture {
    private static final int REGIONS = 8;
    private static final int OBJECTS = 10;
    private static final long BYTES = 64;
    private static final int LOOKS = 20_000;

    private Region filled() {
        Region region = regions.open(RegionType.SMALL, RegionType.SMALL.bytes);
        for (int i = 0; i < OBJECTS; i++) {
            assertThat(region.allocate(BYTES, 0)).isNotZero();
        }
        return region;
    }

    @Test
    void of_atRest_isExact() {
        Region region = filled();
        Region _ = filled();
        long _ = region.died(BYTES);
        assertThat(RegionTotals.of(regions))
                .isEqualTo(
                        new RegionTotals(
                                2 * OBJECTS - 1,
                                (2 * OBJECTS - 1) * BYTES,
                                2 * OBJECTS * BYTES,
                                2 * region.bytes()));
    }

    @Test
    void of_objectsMoveFromRegionToRegion_missesNone() {
        Deque<Region> all = new ArrayDeque<>();
        for (int i = 0; i < REGIONS; i++) {
            all.add(filled());
        }
        try (Workers workers = Workers.platform()) {
            Thread _ = workers.repeat(() -> moveOne(all));
            for (int i = 0; i < LOOKS && workers.goesOn(); i++) {
                RegionTotals totals = RegionTotals.of(regions);
                assertThat(totals.liveObjects()).isGreaterThanOrEqualTo(REGIONS * OBJECTS);
                assertThat(totals.liveBytes()).isGreaterThanOrEqualTo(REGIONS * OBJECTS * BYTES);
                assertThat(totals.filledBytes())
                        .isBetween(totals.liveBytes(), totals.regionBytes());
            }
        }
        assertThat(RegionTotals.of(regions).liveObjects()).isEqualTo(REGIONS * OBJECTS);
    }

    /** All objects of a region go to a new one, as a cycle has it. */
    private void moveOne(Deque<Region> all) {
        Region from = all.remove();
        Region to = regions.open(RegionType.SMALL, RegionType.SMALL.bytes);
        all.add(to);
        for (int i = 0; i < OBJECTS; i++) {
            assertThat(to.allocate(BYTES, 0)).isNotZero();
            long _ = from.died(BYTES);
        }
        long _ = regions.close(from);
    }
}
