package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class KindTest {
    private static final long KIB = 1 << 10;

    @Test
    void of_anEighthOfTheRegion_isTheLimit() {
        assertThat(Kind.of(8)).isEqualTo(Kind.SMALL);
        assertThat(Kind.of(256 * KIB)).isEqualTo(Kind.SMALL);
        assertThat(Kind.of(256 * KIB + 8)).isEqualTo(Kind.MEDIUM_4);
        assertThat(Kind.of(512 * KIB)).isEqualTo(Kind.MEDIUM_4);
        assertThat(Kind.of(1024 * KIB)).isEqualTo(Kind.MEDIUM_8);
        assertThat(Kind.of(2048 * KIB)).isEqualTo(Kind.MEDIUM_16);
        assertThat(Kind.of(4096 * KIB)).isEqualTo(Kind.MEDIUM_32);
        assertThat(Kind.of(4096 * KIB + 8)).isEqualTo(Kind.LARGE);
    }

    @Test
    void place_ofSharedKinds_isItsOwn() {
        assertThat(java.util.Arrays.stream(Kind.values()).map(Kind::place).distinct())
                .hasSize(Kind.values().length);
        for (Kind kind : Kind.values()) {
            assertThat(kind.place()).isLessThan(Kind.sharedCount());
        }
    }
}
