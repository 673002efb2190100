package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.List;

class CompactionPolicyTest extends SpaceFixture {
    private static final long UNIT = 1 << 18;

    /** A retired region with so many eighths filled, and some of these dead. */
    private Region retired(int filled, int dead) {
        Region region = open(filled, dead);
        region.retire();
        return region;
    }

    private Region open(int filled, int dead) {
        Region region = regions.open(RegionType.SMALL);
        for (int i = 0; i < filled; i++) {
            long _ = region.allocate(UNIT, 0);
        }
        for (int i = 0; i < dead; i++) {
            long _ = region.died(UNIT);
        }
        return region;
    }

    @Test
    void choose_littleIsDead_isNothing() {
        for (int i = 0; i < 20; i++) {
            retired(8, 0);
        }
        retired(8, 1);
        assertThat(CompactionPolicy.choose(regions.list())).isEmpty();
    }

    @Test
    void choose_muchIsDead_takesTheSparsestFirst() {
        Region denser = retired(8, 2);
        Region sparsest = retired(8, 7);
        Region sparse = retired(8, 4);
        retired(8, 0);
        List<Region> chosen = CompactionPolicy.choose(regions.list());
        assertThat(chosen).startsWith(sparsest, sparse).doesNotHaveDuplicates();
        assertThat(chosen.indexOf(denser)).isNotEqualTo(0);
    }

    @Test
    void choose_notRetired_isLeftAlone() {
        open(8, 7);
        assertThat(CompactionPolicy.choose(regions.list())).isEmpty();
        assertThat(CompactionPolicy.chooseAll(regions.list())).isEmpty();
    }

    @Test
    void choose_large_isLeftAlone() {
        Region large = regions.openLarge(3 * UNIT * 8);
        assertThat(large.isRetired()).isTrue();
        assertThat(CompactionPolicy.chooseAll(regions.list())).isEmpty();
    }

    @Test
    void chooseWithin_littleRoom_copiesNoMore() {
        Region sparsest = retired(8, 7);
        retired(8, 4);
        retired(8, 4);
        assertThat(CompactionPolicy.chooseWithin(regions.list(), 4 * UNIT))
                .containsExactly(sparsest);
    }

    @Test
    void choose_manyRegions_boundsOneRound() {
        for (int i = 0; i < 200; i++) {
            retired(8, 2);
        }
        long copied = 0;
        for (Region region : CompactionPolicy.choose(regions.list())) {
            copied += region.liveBytes();
        }
        assertThat(copied).isPositive().isLessThanOrEqualTo(200 * 8 * UNIT / 16);
    }

    @Test
    void gain_halfEmpty_countsItsRoom() {
        assertThat(CompactionPolicy.gain(retired(3, 0))).isEqualTo(5 * UNIT);
        assertThat(CompactionPolicy.gain(retired(8, 2))).isEqualTo(2 * UNIT);
        assertThat(CompactionPolicy.gain(retired(6, 1))).isEqualTo(UNIT);
    }
}
