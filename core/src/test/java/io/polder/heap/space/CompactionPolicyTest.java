package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.heap.space.CompactionPolicy.Room;
import io.polder.heap.space.CompactionPolicy.Round;

import org.junit.jupiter.api.Test;

import java.util.List;

class CompactionPolicyTest extends SpaceFixture {
    private static final long UNIT = 1 << 18;
    private static final long MIB = 1 << 20;
    private static final Room AMPLE = new Room(0, 1L << 40, 0);

    /** A retired region with so many eighths filled, and some of these dead. */
    private Region retired(int filled, int dead) {
        return retired(RegionType.SMALL.bytes(), filled, dead);
    }

    private Region retired(long bytes, int filled, int dead) {
        Region region = open(bytes, filled, dead);
        region.retire();
        return region;
    }

    private Region open(long bytes, int filled, int dead) {
        Region region = regions.open(RegionType.SMALL, bytes);
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
        assertThat(CompactionPolicy.choose(regions.list(), AMPLE).collectionSet()).isEmpty();
    }

    @Test
    void choose_muchIsDead_takesTheSparsestFirst() {
        Region denser = retired(8, 2);
        Region sparsest = retired(8, 7);
        Region sparse = retired(8, 4);
        retired(8, 0);
        List<Region> chosen = CompactionPolicy.choose(regions.list(), AMPLE).collectionSet();
        assertThat(chosen).startsWith(sparsest, sparse).doesNotHaveDuplicates();
        assertThat(chosen.indexOf(denser)).isNotEqualTo(0);
    }

    @Test
    void choose_notRetired_isLeftAlone() {
        open(RegionType.SMALL.bytes(), 8, 7);
        assertThat(CompactionPolicy.choose(regions.list(), AMPLE).collectionSet()).isEmpty();
        assertThat(CompactionPolicy.chooseAll(regions.list(), AMPLE).collectionSet()).isEmpty();
    }

    @Test
    void choose_large_isLeftAlone() {
        Region large = regions.openLarge(3 * UNIT * 8);
        assertThat(large.isRetired()).isTrue();
        assertThat(CompactionPolicy.chooseAll(regions.list(), AMPLE).collectionSet()).isEmpty();
    }

    @Test
    void choose_littleRoom_copiesNoMoreThanFitsIntoOneRegion() {
        Region sparsest = retired(8, 7);
        retired(8, 4);
        retired(8, 4);
        Room rest = new Room(4 * UNIT, 0, 0);
        Round round = CompactionPolicy.chooseFull(regions.list(), Long.MAX_VALUE, rest);
        assertThat(round.collectionSet()).containsExactly(sparsest);
        assertThat(round.tightBytes()).isEqualTo(2 * MIB);
    }

    /** What does not fit is passed over for something that does. */
    @Test
    void choose_sparsestDoesNotFit_takesTheNext() {
        retired(RegionType.MEDIUM_8.bytes(), 32, 20);
        Region smaller = retired(8, 4);
        Room rest = new Room(5 * UNIT, 0, 0);
        assertThat(CompactionPolicy.chooseFull(regions.list(), 1, rest).collectionSet())
                .containsExactly(smaller);
    }

    /** The size of objects never decides whether their region can be emptied. */
    @Test
    void choose_regionBeyondTheRound_isTakenAlone() {
        Region large = retired(RegionType.MEDIUM_32.bytes(), 128, 40);
        retired(RegionType.MEDIUM_32.bytes(), 128, 39);
        assertThat(CompactionPolicy.choose(regions.list(), AMPLE).collectionSet())
                .containsExactly(large);
        Room tight = new Room(0, 22 * MIB, 0);
        Round round = CompactionPolicy.choose(regions.list(), tight);
        assertThat(round.collectionSet()).containsExactly(large);
        assertThat(round.tightBytes()).isEqualTo(22 * MIB);
    }

    @Test
    void choose_manyRegions_boundsOneRound() {
        for (int i = 0; i < 200; i++) {
            retired(8, 2);
        }
        long copied = 0;
        for (Region region : CompactionPolicy.choose(regions.list(), AMPLE).collectionSet()) {
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
