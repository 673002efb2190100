package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.heap.space.CompactionPolicy.Room;
import io.polder.heap.space.CompactionPolicy.Round;

import org.junit.jupiter.api.Test;

import java.util.List;

class CompactionPolicyTest extends SpaceFixture {
    private static final long UNIT = 1 << 18;
    private static final long MIB = 1 << 20;
    private static final Room AMPLE = new Room(0, 1L << 40, 32 * MIB);

    /** A retired region with so many eighths filled, and some of these dead. */
    private Region retired(int filled, int dead) {
        return retired(RegionType.SMALL.bytes, filled, dead);
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

    /** As the background has it. */
    private List<Region> chosen(boolean rests) {
        return chosen(AMPLE, rests).collectionSet();
    }

    private Round chosen(Room room, boolean rests) {
        List<Region> all = regions.list();
        long most = CompactionPolicy.gainMax(all, rests);
        return CompactionPolicy.sparsest(all, CompactionPolicy.REGION_PART, most, room);
    }

    /** As somebody who asks has it. */
    private Round all(Room room) {
        return CompactionPolicy.sparsest(
                regions.list(), CompactionPolicy.REGION_PART_ASKED, Long.MAX_VALUE, room);
    }

    /** As in a full heap. */
    private Round full(long wantedBytes, Room room) {
        return CompactionPolicy.sparsest(
                regions.list(), CompactionPolicy.REGION_PART_FULL, wantedBytes, room);
    }

    @Test
    void choose_littleIsDead_isNothing() {
        for (int i = 0; i < 20; i++) {
            retired(8, 0);
        }
        retired(8, 1);
        assertThat(chosen(false)).isEmpty();
    }

    /** What is dead in a heap that rests is worth its copy sooner. */
    @Test
    void choose_littleIsDeadInAHeapThatRests_isTaken() {
        for (int i = 0; i < 7; i++) {
            retired(8, 0);
        }
        Region sparse = retired(8, 2);
        assertThat(chosen(false)).isEmpty();
        assertThat(chosen(true)).containsExactly(sparse);
        assertThat(CompactionPolicy.gainMax(regions.list(), false)).isZero();
        assertThat(CompactionPolicy.gainMax(regions.list(), true)).isPositive();
    }

    @Test
    void choose_muchIsDead_takesTheSparsestFirst() {
        Region denser = retired(8, 2);
        Region sparsest = retired(8, 7);
        Region sparse = retired(8, 4);
        retired(8, 0);
        List<Region> chosen = chosen(false);
        assertThat(chosen).startsWith(sparsest, sparse).doesNotHaveDuplicates();
        assertThat(chosen.indexOf(denser)).isNotEqualTo(0);
    }

    @Test
    void choose_notRetired_isLeftAlone() {
        open(RegionType.SMALL.bytes, 8, 7);
        assertThat(chosen(false)).isEmpty();
        assertThat(all(AMPLE).collectionSet()).isEmpty();
    }

    @Test
    void choose_large_isLeftAlone() {
        Region large = regions.takeLarge(3 * UNIT * 8);
        long _ = large.fillWithOne(3 * UNIT * 8);
        assertThat(large.isRetired()).isTrue();
        assertThat(all(AMPLE).collectionSet()).isEmpty();
    }

    @Test
    void choose_littleRoom_copiesNoMoreThanFitsIntoTheRest() {
        Region sparsest = retired(8, 7);
        retired(8, 4);
        retired(8, 4);
        Room rest = new Room(4 * UNIT, 0, 2 * MIB);
        Round round = full(Long.MAX_VALUE, rest);
        assertThat(round.collectionSet()).containsExactly(sparsest);
        assertThat(round.pageBytes()).isZero();
    }

    /** What does not fit is passed over for something that does. */
    @Test
    void choose_sparsestDoesNotFit_takesTheNext() {
        retired(RegionType.MEDIUM_8.bytes, 32, 20);
        Region smaller = retired(8, 4);
        Room rest = new Room(5 * UNIT, 0, 2 * MIB);
        assertThat(full(1, rest).collectionSet()).containsExactly(smaller);
    }

    /** The size of objects never decides whether their region can be emptied. */
    @Test
    void choose_regionBeyondTheRound_isTakenAlone() {
        Region large = retired(RegionType.MEDIUM_32.bytes, 128, 40);
        retired(RegionType.MEDIUM_32.bytes, 128, 39);
        assertThat(chosen(false)).containsExactly(large);
        Room tight = new Room(0, 22 * MIB, 2 * MIB);
        Round round = chosen(tight, false);
        assertThat(round.collectionSet()).containsExactly(large);
        assertThat(round.pageBytes()).isEqualTo(22 * MIB);
    }

    /** So that a heap never has more after a round than before. */
    @Test
    void choose_pageIsNoLargerThanWhatIsCopied() {
        Region region = retired(RegionType.MEDIUM_8.bytes, 32, 10);
        Room room = new Room(0, 32 * MIB, 32 * MIB);
        Round round = full(1, room);
        assertThat(round.collectionSet()).containsExactly(region);
        assertThat(round.pageBytes()).isEqualTo(6 * MIB);
    }

    /** A reserve is empty, and nothing is won where it is retired. */
    @Test
    void isWorthRetiring_largeEmptyRegion_isNot() {
        open(32 * MIB, 0, 0);
        assertThat(CompactionPolicy.isWorthRetiring(regions.list())).isFalse();
        open(32 * MIB, 1, 0);
        assertThat(CompactionPolicy.isWorthRetiring(regions.list())).isTrue();
    }

    /** Nobody may ever retire it by an allocation. */
    @Test
    void isWorthRetiring_muchIsDeadInALargeRegion_is() {
        open(32 * MIB, 128, 32);
        assertThat(CompactionPolicy.isWorthRetiring(regions.list())).isFalse();
        open(RegionType.SMALL.bytes, 8, 3);
        assertThat(CompactionPolicy.isWorthRetiring(regions.list())).isTrue();
    }

    /** What the rest has room for depends on the largest, however many small ones there are. */
    @Test
    void choose_largeAndManySmallObjects_hasRoomForTheLargest() {
        Region region = regions.open(RegionType.MEDIUM_16, 8 * MIB);
        for (int i = 0; i < 3; i++) {
            long _ = region.allocate(6 * UNIT, 0);
        }
        for (int i = 0; i < 1_000; i++) {
            long _ = region.allocate(64, 0);
        }
        region.retire();
        Room room = new Room(5 * UNIT, 8 * MIB, 8 * MIB);
        Round round = full(1, room);
        assertThat(round.collectionSet()).containsExactly(region);
        assertThat(round.pageBytes()).isGreaterThanOrEqualTo(3 * 6 * UNIT);
    }

    /** An object that fills more than half of a region would leave as much room in another. */
    @Test
    void choose_roomAtTheEndWouldBeLostAgain_isNothing() {
        Region region = regions.open(RegionType.MEDIUM_8, RegionType.SMALL.bytes);
        long _ = region.allocate(5 * UNIT, 0);
        region.retire();
        Room room = new Room(3 * UNIT, 2 * MIB, 2 * MIB);
        assertThat(full(1, room).collectionSet()).isEmpty();
    }

    /** Where large objects are in the way, those regions are taken that have none. */
    @Test
    void choose_sparsestHasOneLargeObject_takesThoseWithSmallOnes() {
        Region large = regions.open(RegionType.MEDIUM_8, RegionType.SMALL.bytes);
        long _ = large.allocate(5 * UNIT, 0);
        large.retire();
        Region small = retired(8, 3);
        Room room = new Room(3 * UNIT, 2 * MIB, 2 * MIB);
        assertThat(full(1, room).collectionSet()).containsExactly(small);
    }

    @Test
    void choose_manyRegions_boundsOneRound() {
        for (int i = 0; i < 200; i++) {
            retired(8, 2);
        }
        long copied = 0;
        for (Region region : chosen(false)) {
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

    @Test
    void chooseRest_takesTheOneWithMostRoom_thatFits() {
        retired(8, 2);
        Region sparsest = retired(8, 5);
        retired(4 * MIB, 8, 8);
        open(RegionType.SMALL.bytes, 8, 7);
        Room reserve = new Room(0, 2 * MIB, 2 * MIB);
        Round round = CompactionPolicy.chooseRest(regions.list(), UNIT, reserve);
        assertThat(round.collectionSet()).containsExactly(sparsest);
        assertThat(round.pageBytes()).isEqualTo(2 * MIB);
    }

    @Test
    void chooseRest_tooLittleRoomOrNothingToCopyTo_isNone() {
        retired(8, 2);
        Room reserve = new Room(0, 2 * MIB, 2 * MIB);
        assertThat(CompactionPolicy.chooseRest(regions.list(), 3 * UNIT, reserve))
                .isEqualTo(Round.NONE);
        assertThat(CompactionPolicy.chooseRest(regions.list(), Long.MAX_VALUE, reserve))
                .isEqualTo(Round.NONE);
        Room none = new Room(0, 0, 2 * MIB);
        assertThat(CompactionPolicy.chooseRest(regions.list(), UNIT, none)).isEqualTo(Round.NONE);
        assertThat(CompactionPolicy.chooseRest(regions.list(), UNIT, reserve).collectionSet())
                .hasSize(1);
    }
}
