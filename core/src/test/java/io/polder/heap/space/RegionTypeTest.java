package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RegionTypeTest {
    private static final long KIB = 1 << 10;

    @Test
    void of_anEighthOfTheRegion_isTheLimit() {
        assertThat(RegionType.of(8)).isEqualTo(RegionType.SMALL);
        assertThat(RegionType.of(256 * KIB)).isEqualTo(RegionType.SMALL);
        assertThat(RegionType.of(256 * KIB + 8)).isEqualTo(RegionType.MEDIUM_4);
        assertThat(RegionType.of(512 * KIB)).isEqualTo(RegionType.MEDIUM_4);
        assertThat(RegionType.of(1024 * KIB)).isEqualTo(RegionType.MEDIUM_8);
        assertThat(RegionType.of(2048 * KIB)).isEqualTo(RegionType.MEDIUM_16);
        assertThat(RegionType.of(4096 * KIB)).isEqualTo(RegionType.MEDIUM_32);
        assertThat(RegionType.of(4096 * KIB + 8)).isEqualTo(RegionType.LARGE);
    }

    @Test
    void place_ofSharedTypes_isItsOwnAndBeforeThatOfLargeOnes() {
        assertThat(java.util.Arrays.stream(RegionType.values()).map(type -> type.place).distinct())
                .hasSize(RegionType.values().length);
        for (RegionType type : RegionType.values()) {
            assertThat(type.place < RegionType.LARGE.place).isEqualTo(type != RegionType.LARGE);
        }
    }
}
