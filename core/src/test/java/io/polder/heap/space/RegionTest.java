package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class RegionTest extends SpaceFixture {
    private Region small() {
        return regions.open(RegionType.SMALL, RegionType.SMALL.bytes);
    }

    @Test
    void allocate_untilFull_tilesTheRegion() {
        Region region = small();
        long expected = region.address();
        long address = region.allocate(1 << 18, 0);
        while (address != 0) {
            assertThat(address).isEqualTo(expected);
            expected += 1 << 18;
            address = region.allocate(1 << 18, 0);
        }
        assertThat(expected).isEqualTo(region.address() + region.bytes());
        assertThat(region.endOfObjects()).isEqualTo(expected);
        assertThat(region.liveObjects()).isEqualTo(8);
        HeapCheck.verify(region);
    }

    @Test
    void allocate_moreThanIsLeft_leavesTheRest() {
        Region region = small();
        assertThat(region.allocate(region.bytes() - 16, 0)).isEqualTo(region.address());
        assertThat(region.allocate(24, 0)).isZero();
        assertThat(region.allocate(16, 0)).isNotZero();
        assertThat(region.allocate(8, 0)).isZero();
    }

    @Test
    void allocate_retired_isRefused() {
        Region region = small();
        long _ = region.allocate(64, 0);
        region.retire();
        assertThat(region.isRetired()).isTrue();
        assertThat(region.allocate(8, 0)).isZero();
        assertThat(region.filledBytes()).isEqualTo(64);
        assertThat(region.liveObjects()).isEqualTo(1);
    }

    @Test
    void isEmptied_onlyRetiredWithoutLiveObjects() {
        Region region = small();
        long _ = region.allocate(64, 0);
        assertThat(region.died(64)).isEqualTo(64);
        assertThat(region.isEmptied()).isFalse();
        region.retire();
        assertThat(region.isEmptied()).isTrue();
        assertThat(region.liveBytes()).isZero();
    }

    @Test
    void large_terabyte_isCounted() {
        long bytes = ObjectLayout.footprint(ObjectLayout.SIZE_MAX_BYTES) + 8;
        Region region = small();
        // Only the arithmetic: what is filled is counted in units of 8 bytes.
        assertThat(region.died(bytes)).isEqualTo(bytes);
    }

    @Test
    void verify_moreDeadThanFilled_complains() {
        Region region = small();
        long _ = region.allocate(64, 0);
        long _ = region.died(128);
        assertThatThrownBy(() -> HeapCheck.verify(region))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("0 <= dead <= filled <= bytes")
                .hasMessageContaining("deadBytes=128");
    }

    @Test
    void map_everyAddressOfARegion_findsIt() {
        Region medium = regions.open(RegionType.MEDIUM_8, RegionType.MEDIUM_8.bytes);
        Region small = small();
        for (long at = 0; at < medium.bytes(); at += 1 << 20) {
            assertThat(map.at(medium.address() + at)).isSameAs(medium);
        }
        assertThat(map.at(medium.address() + medium.bytes() - 1)).isSameAs(medium);
        assertThat(map.at(small.address())).isSameAs(small);
        long _ = regions.close(medium);
        assertThatThrownBy(() -> map.at(medium.address()))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("every object is in a region");
    }
}
