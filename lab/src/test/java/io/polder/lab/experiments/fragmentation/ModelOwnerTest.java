package io.polder.lab.experiments.fragmentation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The growth of one owner. */
class ModelOwnerTest {
    private final SplitMergeSpace space = new SplitMergeSpace(1 << 20);
    private final ModelOwner owner = new ModelOwner(space);

    @Test
    void allocate_growsBySmallChunksThenByMediumOnes() {
        for (int i = 0; i < 5; i++) {
            assertThat(owner.allocate(1500)).isEqualTo(i < 4 ? i * 2048L : 32_768);
        }
        assertThat(Maps.letters(space.map())).isEqualTo("SSSS" + "s".repeat(12) + "M");
    }

    @Test
    void allocate_inWords_cutsFromTheNewestChunk() {
        assertThat(owner.allocate(1)).isZero();
        assertThat(owner.allocate(9)).isEqualTo(8);
        assertThat(owner.allocate(8)).isEqualTo(24);
    }

    @Test
    void allocate_moreThanASmallChunk_continuesWithMediumOnes() {
        owner.allocate(3000);
        owner.allocate(32_768 - 3000);
        owner.allocate(8);

        assertThat(Maps.letters(space.map())).isEqualTo("MM");
    }

    @Test
    void allocate_moreThanAMediumChunk_isHumongous() {
        owner.allocate(33_000);
        owner.allocate(1500);

        assertThat(Maps.letters(space.map())).isEqualTo("HxS");
    }

    @Test
    void close_startsAnew() {
        for (int i = 0; i < 6; i++) {
            owner.allocate(1500);
        }
        owner.close();

        assertThat(Maps.letters(space.map())).isEqualTo("mm");
        assertThat(owner.allocate(1500)).isZero();
        assertThat(Maps.letters(space.map())).startsWith("Sss");
        space.verify();
    }
}
