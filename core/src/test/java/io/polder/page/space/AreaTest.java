package io.polder.page.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.memory.MemoryBudget;
import io.polder.memory.MemoryLimits;
import io.polder.memory.Providers;
import io.polder.page.space.Area.Kind;
import io.polder.page.space.Extent.State;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

/**
 * The extents of one reservation: what is cut is what is asked for, what comes back is fused, and
 * runs are found by size and by address.
 */
@SuppressWarnings("NullAway") // what is not found fails the test
class AreaTest {
    private static final int SIZE = 64;
    private static final long ADDRESS = 1L << 32;

    private final PageState state =
            new PageState(
                    Providers.plain(),
                    new MemoryBudget(new MemoryLimits(1L << 40, MemoryLimits.ADDRESS_SPACE_BYTES)));
    private final Area area = area(SIZE);

    private Area area(int size) {
        Area made = new Area(state, size, Kind.WARM);
        made.address = ADDRESS;
        return made;
    }

    private Extent cut(Area from, int run, int first, int count) {
        Extent part = new Extent(state);
        from.hold(part, run, first, count, State.TAKEN, count, null);
        from.verify();
        return part;
    }

    private Extent cut(int run, int first, int count) {
        return cut(area, run, first, count);
    }

    private Extent low(int count) {
        return cut(run(), run(), count);
    }

    private Extent high(int count) {
        return cut(run(), run() + area.length(run()) - count, count);
    }

    /** The first granule of the only run there is. */
    private int run() {
        int run = area.lowest(Kind.WARM);
        assertThat(run).isNotEqualTo(BitTree.NONE).isEqualTo(area.highest(Kind.WARM));
        return run;
    }

    private void free(Extent... extents) {
        for (Extent extent : extents) {
            area.free(extent, Kind.WARM);
            area.verify();
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
        assertThat(area.length(3)).isEqualTo(SIZE - 8);
        assertThat(area.length(SIZE - 6)).isEqualTo(SIZE - 8);
        free(last, first);
        assertThat(area.isWhole(Kind.WARM)).isTrue();
    }

    @Test
    void hold_inTheMiddle_leavesTwoRuns() {
        Extent middle = new Extent(state);
        area.hold(middle, run(), 10, 4, State.CLAIMED, 4, new Pass());
        area.verify();
        assertThat(area.map()).isEqualTo("w".repeat(10) + "cccc" + "w".repeat(SIZE - 14));
        assertThat(area.length(area.lowest(Kind.WARM))).isEqualTo(10);
        assertThat(area.highest(Kind.WARM)).isEqualTo(14);
        free(middle);
        assertThat(area.isWhole(Kind.WARM)).isTrue();
    }

    @Test
    void hold_whole_andTwoPartsBack_areTwoRunsUntilTheRestComes() {
        List<Extent> parts = new ArrayList<>();
        for (int count : new int[] {8, 16, 8, 16, 16}) {
            parts.add(low(count));
        }
        assertThat(area.lowest(Kind.WARM)).isEqualTo(BitTree.NONE);
        free(parts.get(0), parts.get(2));
        assertThat(area.index(Kind.WARM).count(3)).isEqualTo(2);
        assertThat(area.highestFitting(Kind.WARM, 8)).isEqualTo(24);
        assertThat(area.highestFitting(Kind.WARM, 9)).isEqualTo(BitTree.NONE);
        free(parts.get(1));
        assertThat(area.length(run())).isEqualTo(32);
        free(parts.get(4), parts.get(3));
        assertThat(area.isWhole(Kind.WARM)).isTrue();
    }

    @Test
    void free_anyOrder_fuses() {
        int[][] orders = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
        for (int[] order : orders) {
            Extent[] parts = {low(1), low(2), low(3)};
            for (int i : order) {
                free(parts[i]);
            }
            assertThat(area.isWhole(Kind.WARM)).isTrue();
        }
    }

    /** Warm and cold neighbours are two runs, of one kind each. */
    @Test
    void free_neighboursOfTheOtherKind_stayApart() {
        Extent a = low(4);
        Extent b = low(4);
        area.free(a, Kind.COLD);
        area.verify();
        area.free(b, Kind.WARM);
        area.verify();
        assertThat(area.map()).startsWith("....wwww");
        assertThat(area.length(area.highest(Kind.COLD))).isEqualTo(4);
        assertThat(area.isWhole(Kind.WARM)).isFalse();
        area.free(cut(0, 0, 4), Kind.WARM);
        assertThat(area.isWhole(Kind.WARM)).isTrue();
    }

    /** Whoever kept a page that was given cannot take it for the next one in its place. */
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
            int run = area.highest(Kind.WARM);
            at += count;
            cut(run, at, 1);
            at++;
        }
        cut(area.highest(Kind.WARM), at, SIZE - at);
        // 4 at 0, 7 at 5, 2 at 13, 5 at 16, 9 at 22, 1 at 32, 4 at 34
        assertThat(area.lowest(Kind.WARM)).isZero();
        assertThat(area.highest(Kind.WARM)).isEqualTo(34);
        assertThat(area.longest(Kind.WARM)).isEqualTo(9);
        assertThat(area.highestFitting(Kind.WARM, 4)).isEqualTo(34);
        assertThat(area.highestFitting(Kind.WARM, 5)).isEqualTo(22);
        assertThat(area.highestFitting(Kind.WARM, 9)).isEqualTo(22);
        assertThat(area.highestFitting(Kind.WARM, 10)).isEqualTo(BitTree.NONE);
        cut(22, 22, 9);
        assertThat(area.highestFitting(Kind.WARM, 5)).isEqualTo(16);
        assertThat(area.highestFitting(Kind.WARM, 6)).isEqualTo(5);
        assertThat(area.highestOfClass(Kind.WARM, 2)).isEqualTo(34);
        assertThat(area.index(Kind.WARM).count(2)).isEqualTo(4);
        assertThat(area.index(Kind.WARM).granules(2)).isEqualTo(4 + 7 + 5 + 4);
        assertThat(area.index(Kind.WARM).classes()).isEqualTo(0b111);
    }

    /** Those of a slot that has shorter and longer ones are found too, and not sought in vain. */
    @Test
    void fitting_longRunsOfOneSlot_isOneLargeEnough() {
        Area large = area(400);
        int at = 0;
        for (int count : new int[] {40, 60, 33, 63, 50}) {
            int run = large.highest(Kind.WARM);
            at += count;
            cut(large, run, at, 1);
            at++;
        }
        Extent rest = cut(large, large.highest(Kind.WARM), at, 400 - at);
        // 40 at 0, 60 at 41, 33 at 102, 63 at 136, 50 at 200
        assertThat(large.highestFitting(Kind.WARM, 33)).isEqualTo(200);
        assertThat(large.highestFitting(Kind.WARM, 51)).isEqualTo(136);
        assertThat(large.highestFitting(Kind.WARM, 64)).isEqualTo(BitTree.NONE);
        cut(large, 136, 136, 63);
        assertThat(large.highestFitting(Kind.WARM, 60)).isEqualTo(41);
        assertThat(large.highestFitting(Kind.WARM, 61)).isEqualTo(BitTree.NONE);
        assertThat(large.highestFitting(Kind.WARM, 61)).isEqualTo(BitTree.NONE);
        assertThat(large.highestFitting(Kind.WARM, 60)).isEqualTo(41);
        large.free(rest, Kind.WARM);
        assertThat(large.highestFitting(Kind.WARM, 61)).isEqualTo(251);
        large.verify();
    }

    @Test
    void hold_dirtyPart_keepsItsDirt() {
        Extent page = low(8);
        area.dirtied(page, 5);
        free(page);
        assertThat(area.dirtyCount()).isEqualTo(5);
        Extent part = cut(0, 4, 3);
        assertThat(area.isDirty(4)).isTrue();
        assertThat(area.isDirty(5)).isFalse();
        assertThat(area.dirtyCount()).isEqualTo(4);
        assertThat(area.lowestDirty()).isZero();
        assertThat(area.warmRunOf(3)).isZero();
        Extent one = cut(0, 1, 1);
        area.cleaned(1, 1);
        free(one);
        assertThat(area.map()).startsWith("dwddTtt");
        free(part);
        assertThat(area.map()).startsWith("dwdddww");
    }

    /** What a pass left behind is what its extents say, and everything derived is done anew. */
    @Test
    void rebuild_extentsLeftBehind_areWhatTheySay() {
        Pass pass = new Pass();
        Extent source = new Extent(state);
        Extent target = new Extent(state);
        Extent lost = low(4);
        Extent cold = low(16);
        area.free(cold, Kind.COLD);
        area.hold(target, 4, 8, 6, State.CLAIMED, 0, pass);
        area.hold(source, 20, 20, 3, State.CLAIMED, 3, pass);
        area.dirtied(source, 3);
        boolean wasDirty = Area.departs(source, target, area, area);
        Area.arrived(source, target, area, area, wasDirty);
        wasDirty = Area.departs(source, target, area, area);
        Area.stayed(source, target, area, area, wasDirty);
        boolean _ = Area.departs(source, target, area, area);
        area.settleLeft();
        assertThat(area.map()).startsWith("Tttt");
        assertThat(target.state).isEqualTo(State.CLAIMED);
        lost.lost = true;
        pass.over = true;
        area.settleLeft();
        area.rebuild();
        area.verify();
        // Two came to 8 and 9; one of three is still warm; of the one between nobody knows.
        assertThat(area.map()).startsWith("wwww....dd............dw");
        assertThat(area.dirtyCount()).isEqualTo(3);
        assertThat(area.unsureCount()).isEqualTo(1);
        assertThat(area.lowestUnsure()).isEqualTo(21);
        assertThat(target.state).isEqualTo(State.GONE);
        String settled = area.map();
        area.settleLeft();
        area.rebuild();
        area.verify();
        assertThat(area.map()).isEqualTo(settled);
    }

    @Test
    void seams_areTheBordersOfWhatIsMoved() {
        assertThat(area.seams()).isZero();
        area.setMoved(10, 1, true);
        assertThat(area.seams()).isEqualTo(2);
        area.setMoved(11, 3, true);
        assertThat(area.seams()).isEqualTo(5);
        area.setMoved(0, 1, true);
        assertThat(area.seams()).as("there is no border in front of the first").isEqualTo(6);
        area.setMoved(SIZE - 1, 1, true);
        assertThat(area.seams()).isEqualTo(7);
        area.verify();
        area.setMoved(0, SIZE, false);
        assertThat(area.seams()).isZero();
    }

    /** Renewed granules are joined with their left neighbour, unless that is moved. */
    @Test
    void renewed_toTheRightOfMoved_staysMoved() {
        area.setMoved(10, 4, true);
        assertThat(area.joins(12)).isFalse();
        area.renewed(12, 2);
        assertThat(area.seams()).isEqualTo(5);
        assertThat(area.joins(10)).isTrue();
        area.renewed(10, 2);
        assertThat(area.seams()).isEqualTo(3);
        area.renewed(12, 2);
        assertThat(area.seams()).isZero();
        assertThat(area.joins(0)).isTrue();
        area.verify();
    }

    /** A mapping that is moved as a whole loses what it had in common with the others. */
    @Test
    void movedAway_standingAlone_isMoved() {
        area.setMoved(10, 1, true);
        area.setMoved(12, 1, true);
        area.movedAway(11, 1);
        assertThat(area.anyMoved(11, 1)).isTrue();
        area.movedAway(20, 2);
        assertThat(area.anyMoved(20, 2)).isFalse();
        area.verify();
    }
}
