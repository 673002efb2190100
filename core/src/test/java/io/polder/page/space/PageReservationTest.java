package io.polder.page.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.memory.MemoryBudget;
import io.polder.memory.MemoryLimits;
import io.polder.memory.Providers;
import io.polder.memory.ReservedAt;
import io.polder.page.space.Extent.State;
import io.polder.page.space.PageReservation.Kind;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The extents of one reservation: what is cut is what is asked for, what comes back is coalesced,
 * and runs are found by size and by address.
 */
@SuppressWarnings("NullAway") // what is not found fails the test
class PageReservationTest {
    private static final int SIZE = 64;
    private static final long ADDRESS = 1L << 32;

    private final PageState state =
            new PageState(
                    Providers.plain(),
                    new MemoryBudget(
                            new MemoryLimits(1L << 40, MemoryLimits.ADDRESS_SPACE_BYTES), ""),
                    false);
    private final PageReservation reservation = reservation(SIZE);

    private PageReservation reservation(int size) {
        return ReservedAt.address(new PageReservation(state, size, Kind.WARM), ADDRESS);
    }

    private Extent cut(PageReservation from, int first, int count) {
        Extent part = new Extent(false);
        from.hold(part.prepared(from, first, count, null), State.TAKEN, count);
        PageCheck.verify(from);
        return part;
    }

    private Extent cut(int first, int count) {
        return cut(reservation, first, count);
    }

    private Extent low(int count) {
        return cut(run(), count);
    }

    private Extent high(int count) {
        return cut(run() + reservation.runs[run()] - count, count);
    }

    /** The lengths of the warm runs of a class. */
    private IntStream runsOfClass(int runClass) {
        BitTree runs = reservation.warm.all;
        return IntStream.range(0, SIZE)
                .filter(runs::get)
                .map(run -> reservation.runs[run])
                .filter(length -> Granules.runClass(length) == runClass);
    }

    /** The first granule of the only run there is. */
    private int run() {
        int run = reservation.index(Kind.WARM).all.first();
        assertThat(run)
                .isNotEqualTo(BitTree.NONE)
                .isEqualTo(reservation.index(Kind.WARM).all.last());
        return run;
    }

    private void free(Extent... extents) {
        for (Extent extent : extents) {
            reservation.free(extent, Kind.WARM);
            PageCheck.verify(reservation);
        }
    }

    @Test
    void hold_atBothEnds_leavesOneRun() {
        Extent first = low(3);
        Extent last = high(5);
        assertThat(first.address()).isEqualTo(ADDRESS);
        assertThat(first.bytes()).isEqualTo(Granules.bytes(3));
        assertThat(last.first).isEqualTo(SIZE - 5);
        assertThat(run()).isEqualTo(3);
        assertThat(reservation.runs[3]).isEqualTo(SIZE - 8);
        assertThat(reservation.runs[SIZE - 6]).isEqualTo(SIZE - 8);
        free(last, first);
        assertThat(reservation.isWhole(Kind.WARM)).isTrue();
    }

    @Test
    void hold_inTheMiddle_leavesTwoRuns() {
        Extent middle = new Extent(false);
        middle.prepared(reservation, 10, 4, new Isolation(state));
        reservation.hold(middle, State.ISOLATED, 4);
        PageCheck.verify(reservation);
        assertThat(PageCheck.letters(reservation))
                .isEqualTo("w".repeat(10) + "cccc" + "w".repeat(SIZE - 14));
        assertThat(reservation.runs[reservation.index(Kind.WARM).all.first()]).isEqualTo(10);
        assertThat(reservation.index(Kind.WARM).all.last()).isEqualTo(14);
        free(middle);
        assertThat(reservation.isWhole(Kind.WARM)).isTrue();
    }

    @Test
    void hold_whole_andTwoPartsBack_areTwoRunsUntilTheRestComes() {
        List<Extent> parts = new ArrayList<>();
        for (int count : new int[] {8, 16, 8, 16, 16}) {
            parts.add(low(count));
        }
        assertThat(reservation.index(Kind.WARM).all.first()).isEqualTo(BitTree.NONE);
        free(parts.get(0), parts.get(2));
        assertThat(runsOfClass(3).count()).isEqualTo(2);
        assertThat(reservation.index(Kind.WARM).highestFitting(8)).isEqualTo(24);
        assertThat(reservation.index(Kind.WARM).highestFitting(9)).isEqualTo(BitTree.NONE);
        free(parts.get(1));
        assertThat(reservation.runs[run()]).isEqualTo(32);
        free(parts.get(4), parts.get(3));
        assertThat(reservation.isWhole(Kind.WARM)).isTrue();
    }

    @Test
    void free_anyOrder_fuses() {
        int[][] orders = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
        for (int[] order : orders) {
            Extent[] parts = {low(1), low(2), low(3)};
            for (int i : order) {
                free(parts[i]);
            }
            assertThat(reservation.isWhole(Kind.WARM)).isTrue();
        }
    }

    /** Warm and cold neighbours are two runs, of one kind each. */
    @Test
    void free_neighboursOfTheOtherKind_stayApart() {
        Extent a = low(4);
        Extent b = low(4);
        reservation.free(a, Kind.COLD);
        PageCheck.verify(reservation);
        reservation.free(b, Kind.WARM);
        PageCheck.verify(reservation);
        assertThat(PageCheck.letters(reservation)).startsWith("....wwww");
        assertThat(reservation.runs[reservation.index(Kind.COLD).all.last()]).isEqualTo(4);
        assertThat(reservation.isWhole(Kind.WARM)).isFalse();
        reservation.free(cut(0, 4), Kind.WARM);
        assertThat(reservation.isWhole(Kind.WARM)).isTrue();
    }

    /** A thread that kept a page that was given cannot take it for the next one in its place. */
    @Test
    void free_extent_isGone() {
        Extent page = low(SIZE);
        free(page);
        Extent next = low(SIZE);
        assertThat(next).isNotSameAs(page);
        assertThat(page.state).isEqualTo(State.GONE);
    }

    @Test
    void fitting_severalRuns_isTheHighestOfThoseLargeEnough() {
        int at = 0;
        for (int count : new int[] {4, 7, 2, 5, 9, 1, 4}) {
            at += count;
            cut(at, 1);
            at++;
        }
        cut(at, SIZE - at);
        // 4 at 0, 7 at 5, 2 at 13, 5 at 16, 9 at 22, 1 at 32, 4 at 34
        assertThat(reservation.index(Kind.WARM).all.first()).isZero();
        assertThat(reservation.index(Kind.WARM).all.last()).isEqualTo(34);
        assertThat(runsOfClass(3).max()).hasValue(9);
        assertThat(reservation.index(Kind.WARM).highestFitting(4)).isEqualTo(34);
        assertThat(reservation.index(Kind.WARM).highestFitting(5)).isEqualTo(22);
        assertThat(reservation.index(Kind.WARM).highestFitting(9)).isEqualTo(22);
        assertThat(reservation.index(Kind.WARM).highestFitting(10)).isEqualTo(BitTree.NONE);
        cut(22, 9);
        assertThat(reservation.index(Kind.WARM).highestFitting(5)).isEqualTo(16);
        assertThat(reservation.index(Kind.WARM).highestFitting(6)).isEqualTo(5);
        // There are left: 4 at 0, 7 at 5, 2 at 13, 5 at 16, 1 at 32, 4 at 34.
        RunIndex warm = reservation.index(Kind.WARM);
        assertThat(warm.highestInSlot(4)).isEqualTo(34);
        assertThat(warm.slotShorter(1)).isZero();
        assertThat(warm.slotShorter(2)).isEqualTo(1);
        assertThat(warm.granulesShorter(4)).isEqualTo(2 + 1);
        assertThat(warm.granulesShorter(5)).isEqualTo(4 + 2 + 1 + 4);
        assertThat(warm.pieces(3)).isEqualTo(1 + 2 + 1 + 1);
        assertThat(warm.pieces(5)).isEqualTo(2);
        assertThat(warm.pieces(8)).isZero();
        assertThat(runsOfClass(2).count()).isEqualTo(4);
        assertThat(runsOfClass(2).sum()).isEqualTo(4 + 7 + 5 + 4);
        assertThat(runsOfClass(0).count()).isEqualTo(1);
        assertThat(runsOfClass(1).count()).isEqualTo(1);
        assertThat(runsOfClass(3).count()).isZero();
    }

    /** Those of a slot that has shorter and longer ones are found too. */
    @Test
    void fitting_longRunsOfOneSlot_isOneLargeEnough() {
        PageReservation large = reservation(400);
        int at = 0;
        for (int count : new int[] {40, 60, 33, 63, 50}) {
            at += count;
            cut(large, at, 1);
            at++;
        }
        Extent rest = cut(large, at, 400 - at);
        // 40 at 0, 60 at 41, 33 at 102, 63 at 136, 50 at 200
        assertThat(large.index(Kind.WARM).highestFitting(33)).isEqualTo(200);
        assertThat(large.index(Kind.WARM).highestFitting(51)).isEqualTo(136);
        assertThat(large.index(Kind.WARM).highestFitting(64)).isEqualTo(BitTree.NONE);
        cut(large, 136, 63);
        assertThat(large.index(Kind.WARM).highestFitting(60)).isEqualTo(41);
        assertThat(large.index(Kind.WARM).highestFitting(61)).isEqualTo(BitTree.NONE);
        assertThat(large.index(Kind.WARM).highestFitting(61)).isEqualTo(BitTree.NONE);
        assertThat(large.index(Kind.WARM).highestFitting(60)).isEqualTo(41);
        // There are left: 40, 60, 33 and 50, all in one slot.
        assertThat(large.index(Kind.WARM).pieces(50)).isEqualTo(2);
        assertThat(large.index(Kind.WARM).slotShorter(50)).isZero();
        assertThat(large.index(Kind.WARM).granulesShorter(50)).isZero();
        assertThat(large.index(Kind.WARM).slotShorter(64)).isEqualTo(RunIndex.slot(33));
        assertThat(large.index(Kind.WARM).granulesShorter(64)).isEqualTo(40 + 60 + 33 + 50);
        large.free(rest, Kind.WARM);
        assertThat(large.index(Kind.WARM).highestFitting(61)).isEqualTo(251);
        PageCheck.verify(large);
    }

    @Test
    void hold_dirtyPart_keepsItsDirt() {
        Extent page = low(8);
        reservation.dirt.dirtied(page, Granules.bytes(5));
        free(page);
        assertThat(reservation.dirt.dirtyCount).isEqualTo(5);
        Extent part = cut(4, 3);
        assertThat(reservation.dirt.dirty[4]).isPositive();
        assertThat(reservation.dirt.dirty[5]).isZero();
        assertThat(reservation.dirt.dirtyCount).isEqualTo(4);
        assertThat(reservation.dirt.lowestDirty()).isZero();
        assertThat(reservation.index(Kind.WARM).startAtOrBefore(3)).isZero();
        Extent one = cut(1, 1);
        reservation.dirt.zeroed(1);
        free(one);
        assertThat(PageCheck.letters(reservation)).startsWith("dwddTtt");
        free(part);
        assertThat(PageCheck.letters(reservation)).startsWith("dwdddww");
    }

    /** What a pass left behind is what its extents say, and everything derived is done anew. */
    @Test
    void rebuild_extentsLeftBehind_areWhatTheySay() {
        Isolation isolation = new Isolation(state);
        Extent source = new Extent(false);
        Extent target = new Extent(false);
        Extent lost = low(4);
        Extent cold = low(16);
        reservation.free(cold, Kind.COLD);
        reservation.hold(target.prepared(reservation, 8, 6, isolation), State.ISOLATED, 0);
        reservation.hold(source.prepared(reservation, 20, 3, isolation), State.ISOLATED, 3);
        reservation.dirt.dirtied(source, Granules.bytes(3));
        DirtyGranules dirt = reservation.dirt;
        dirt.dirty[8] = dirt.dirty[20]; // it was moved
        dirt.uncommitted(20);
        dirt.unknown(21); // it is being moved
        dirt.unknown(9);
        source.warmFrom = 2;
        target.warmTo = 2;
        reservation.reclaimAbandoned();
        assertThat(PageCheck.letters(reservation)).startsWith("Tttt");
        assertThat(target.state).isEqualTo(State.ISOLATED);
        lost.abandoned = true;
        isolation.ended = true;
        reservation.reclaimAbandoned();
        reservation.rebuild();
        PageCheck.verify(reservation);
        // Two came to 8 and 9; one of three is still warm; of the one between nobody knows.
        assertThat(PageCheck.letters(reservation)).startsWith("wwww....dd............dw");
        assertThat(dirt.dirtyCount).isEqualTo(3);
        assertThat(dirt.dirty[21]).isPositive();
        assertThat(target.state).isEqualTo(State.GONE);
        String settled = PageCheck.letters(reservation);
        reservation.reclaimAbandoned();
        reservation.rebuild();
        PageCheck.verify(reservation);
        assertThat(PageCheck.letters(reservation)).isEqualTo(settled);
    }

    @Test
    void seams_areTheBordersOfWhatIsMoved() {
        assertThat(reservation.moved.boundaries).isZero();
        reservation.moved.set(10, 1, true);
        assertThat(reservation.moved.boundaries).isEqualTo(2);
        reservation.moved.set(11, 3, true);
        assertThat(reservation.moved.boundaries).isEqualTo(5);
        reservation.moved.set(0, 1, true);
        assertThat(reservation.moved.boundaries)
                .as("there is no border in front of the first")
                .isEqualTo(6);
        reservation.moved.set(SIZE - 1, 1, true);
        assertThat(reservation.moved.boundaries).isEqualTo(7);
        PageCheck.verify(reservation);
        reservation.moved.set(0, SIZE, false);
        assertThat(reservation.moved.boundaries).isZero();
    }

    /** Renewed granules are joined with their left neighbour, unless that is moved. */
    @Test
    void renewed_toTheRightOfMoved_staysMoved() {
        reservation.moved.set(10, 4, true);
        assertThat(reservation.moved.joins(12)).isFalse();
        reservation.moved.renewed(12, 2);
        assertThat(reservation.moved.boundaries).isEqualTo(5);
        assertThat(reservation.moved.joins(10)).isTrue();
        reservation.moved.renewed(10, 2);
        assertThat(reservation.moved.boundaries).isEqualTo(3);
        reservation.moved.renewed(12, 2);
        assertThat(reservation.moved.boundaries).isZero();
        assertThat(reservation.moved.joins(0)).isTrue();
        PageCheck.verify(reservation);
    }

    /** A mapping that is moved as a whole loses what it had in common with the others. */
    @Test
    void movedAway_standingAlone_isMoved() {
        reservation.moved.set(10, 1, true);
        reservation.moved.set(12, 1, true);
        reservation.moved.wentAway(11, 1);
        assertThat(reservation.moved.any(11, 1)).isTrue();
        reservation.moved.wentAway(20, 2);
        assertThat(reservation.moved.any(20, 2)).isFalse();
        PageCheck.verify(reservation);
    }
}
