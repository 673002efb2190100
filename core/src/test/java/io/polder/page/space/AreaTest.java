package io.polder.page.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.memory.MemoryBudget;
import io.polder.memory.MemoryLimits;
import io.polder.memory.Providers;
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
    private final Area area = new Area(state, ADDRESS, SIZE, State.WARM);

    private Extent low(int count) {
        Extent part = area.cutLow(run(), count, State.TAKEN);
        area.verify();
        return part;
    }

    private Extent high(int count) {
        Extent part = area.cutHigh(run(), count, State.TAKEN);
        area.verify();
        return part;
    }

    /** The only run there is. */
    private Extent run() {
        Extent run = area.lowest(State.WARM);
        assertThat(run).isNotNull().isSameAs(area.highest(State.WARM));
        return run;
    }

    private void free(Extent... extents) {
        for (Extent extent : extents) {
            area.free(extent, State.WARM);
            area.verify();
        }
    }

    @Test
    void cutLow_thenCutHigh_comeFromBothEnds() {
        Extent first = low(3);
        Extent last = high(5);
        assertThat(first.address()).isEqualTo(ADDRESS);
        assertThat(first.bytes()).isEqualTo(Granules.bytes(3));
        assertThat(last.first).isEqualTo(SIZE - 5);
        assertThat(run().first).isEqualTo(3);
        assertThat(run().end()).isEqualTo(SIZE - 5);
        free(last, first);
        assertThat(area.isWhole(State.WARM)).isTrue();
    }

    @Test
    void cut_fromTheMiddle_leavesTwoRuns() {
        Extent middle = area.cut(run(), 10, 4, State.CLAIMED);
        area.verify();
        assertThat(area.map()).isEqualTo("w".repeat(10) + "cccc" + "w".repeat(SIZE - 14));
        assertThat(area.lowest(State.WARM).end()).isEqualTo(10);
        assertThat(area.highest(State.WARM).first).isEqualTo(14);
        free(middle);
        assertThat(area.isWhole(State.WARM)).isTrue();
    }

    @Test
    void cut_whole_andTwoPartsBack_areTwoRunsUntilTheRestComes() {
        List<Extent> parts = new ArrayList<>();
        for (int count : new int[] {8, 16, 8, 16, 16}) {
            parts.add(low(count));
        }
        assertThat(area.lowest(State.WARM)).isNull();
        free(parts.get(0), parts.get(2));
        assertThat(area.index(State.WARM).count(3)).isEqualTo(2);
        Extent exact = area.highestFitting(State.WARM, 8);
        assertThat(exact.first).isEqualTo(24);
        assertThat(area.highestFitting(State.WARM, 9)).isNull();
        free(parts.get(1));
        assertThat(run().count).isEqualTo(32);
        free(parts.get(4), parts.get(3));
        assertThat(area.isWhole(State.WARM)).isTrue();
    }

    @Test
    void free_anyOrder_fuses() {
        int[][] orders = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
        for (int[] order : orders) {
            Extent[] parts = {low(1), low(2), low(3)};
            for (int i : order) {
                free(parts[i]);
            }
            assertThat(area.isWhole(State.WARM)).isTrue();
        }
    }

    /** Warm and cold neighbours are two runs, of one kind each. */
    @Test
    void free_neighboursOfTheOtherKind_stayApart() {
        Extent a = low(4);
        Extent b = low(4);
        area.free(a, State.COLD);
        area.verify();
        area.free(b, State.WARM);
        area.verify();
        assertThat(area.map()).startsWith("....wwww");
        assertThat(area.highest(State.COLD).count).isEqualTo(4);
        assertThat(area.isWhole(State.WARM)).isFalse();
        area.free(area.cutLow(area.lowest(State.COLD), 4, State.CLAIMED), State.WARM);
        assertThat(area.isWhole(State.WARM)).isTrue();
    }

    /** Whoever kept a page that was given cannot take it for the next one in its place. */
    @Test
    void cut_again_isAnotherExtent() {
        Extent page = low(SIZE);
        free(page);
        Extent next = low(SIZE);
        assertThat(next).isNotSameAs(page);
        assertThat(page.state).isEqualTo(State.WARM);
    }

    @Test
    void fitting_severalRuns_isTheLowestOrTheHighestOfThoseLargeEnough() {
        List<Extent> walls = new ArrayList<>();
        int at = 0;
        for (int count : new int[] {4, 7, 2, 5, 9, 1, 4}) {
            at += count;
            walls.add(area.cut(area.highest(State.WARM), at, 1, State.TAKEN));
            at++;
            area.verify();
        }
        area.cut(area.highest(State.WARM), at, SIZE - at, State.TAKEN);
        // 4 at 0, 7 at 5, 2 at 13, 5 at 16, 9 at 22, 1 at 32, 4 at 34
        assertThat(area.lowest(State.WARM).first).isZero();
        assertThat(area.highest(State.WARM).first).isEqualTo(34);
        assertThat(area.highestFitting(State.WARM, 4).first).isEqualTo(34);
        assertThat(area.lowestFitting(State.WARM, 4).first).isZero();
        assertThat(area.highestFitting(State.WARM, 8).first).isEqualTo(22);
        assertThat(area.highestFitting(State.WARM, 9).first).isEqualTo(22);
        assertThat(area.highestFitting(State.WARM, 10)).isNull();
        assertThat(area.highestFitting(State.WARM, 2).count).isGreaterThanOrEqualTo(2);
        // No class is sure to be large enough for 5, but the 9.
        assertThat(area.highestFitting(State.WARM, 5).count).isEqualTo(9);
        area.cut(area.at(22), 22, 9, State.TAKEN);
        area.verify();
        assertThat(area.highestFitting(State.WARM, 5).first).isEqualTo(16);
        assertThat(area.highestFitting(State.WARM, 6).first).isEqualTo(5);
        assertThat(area.highestOfClass(State.WARM, 2).first).isEqualTo(34);
        assertThat(area.index(State.WARM).count(2)).isEqualTo(4);
        assertThat(area.index(State.WARM).granules(2)).isEqualTo(4 + 7 + 5 + 4);
        assertThat(area.index(State.WARM).classes()).isEqualTo(0b111);
        assertThat(walls).hasSize(7);
    }

    @Test
    void split_partsOfOneOwner_keepTheirDirt() {
        Extent page = low(6);
        page.dirtied(4);
        Extent rest = area.split(page, 3);
        assertThat(page.dirty.cardinality()).isEqualTo(3);
        assertThat(rest.dirty.cardinality()).isEqualTo(1);
        assertThat(rest.dirty.get(0)).isTrue();
        free(rest);
        assertThat(area.map()).startsWith("Tttdww");
        assertThat(area.dirtyCount()).isEqualTo(1);
        free(page);
        assertThat(area.map()).startsWith("ddddww");
        assertThat(area.dirtyCount()).isEqualTo(4);
        assertThat(area.firstDirty(area.lowestDirty())).isZero();
    }

    @Test
    void cut_dirtyPart_takesItsDirtAlong() {
        Extent page = low(8);
        page.dirtied(5);
        free(page);
        Extent part = area.cut(run(), 4, 3, State.TAKEN);
        area.verify();
        assertThat(part.dirty.cardinality()).isEqualTo(1);
        assertThat(area.dirtyCount()).isEqualTo(4);
        Extent clean = area.cut(area.highest(State.WARM), 20, 2, State.TAKEN);
        assertThat(clean.dirty).isNull();
        Extent one = area.cut(area.lowest(State.WARM), 1, 1, State.TAKEN);
        assertThat(one.dirty).isSameAs(Extent.FIRST);
        one.dirty = null;
        free(one);
        assertThat(area.map()).startsWith("dwddTtt");
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
