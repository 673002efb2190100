package io.polder.page.space;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class DemandTest {
    /** More than anything is remembered for. */
    private static final int LONG = 20_000;

    private final Demand demand = new Demand();

    private void take(int count, int pages) {
        for (int i = 0; i < pages; i++) {
            demand.asked(count, false);
            demand.took(count, 1);
        }
    }

    /** Ticks until nothing is left to prepare; returns how many it took. */
    private int fade() {
        int ticks = 0;
        while (demand.isActive() && ticks < LONG) {
            demand.tick();
            ticks++;
        }
        return ticks;
    }

    @Test
    void fresh_wantsNothing() {
        for (int c = 0; c < Demand.CLASSES; c++) {
            assertThat(demand.wanted(c)).isZero();
        }
        assertThat(demand.isActive()).isFalse();
    }

    @Test
    void took_countsByClass_aboveHalfOfAPowerOfTwo() {
        take(1, 3);
        take(5, 2);
        take(8, 1);
        take(9, 1);
        assertThat(demand.pages[0]).isEqualTo(3);
        assertThat(demand.pages[3]).isEqualTo(3);
        assertThat(demand.granules[3]).isEqualTo(18);
        assertThat(demand.pages[4]).isEqualTo(1);
    }

    /** It is wanted nevertheless. */
    @Test
    void asked_andNotTaken_isNoPageThatWasTaken() {
        take(16, 1);
        demand.asked(16, false);
        assertThat(demand.pages[4]).isEqualTo(1);
        assertThat(demand.granules[4]).isEqualTo(16);
        demand.tick();
        assertThat(demand.wanted(4)).isGreaterThan(2);
    }

    /** What is asked for keeps its length, and what is announced ends when it would have. */
    @Test
    void expect_none_doesNothing() {
        take(9, 1);
        demand.expect(32, 1);
        demand.expect(16, 0);
        assertThat(demand.runLength(4)).isEqualTo(9);
        for (int i = 0; i < LONG; i++) {
            demand.expect(32, 0);
            demand.tick();
        }
        assertThat(demand.isAnnounced(5)).isFalse();
    }

    /** Small pages need no run, so they keep nobody busy. */
    @Test
    void took_small_isNotActive() {
        take(1, 100);
        assertThat(demand.isActive()).isFalse();
    }

    @Test
    void tick_manyTakes_wantsMoreThanWereTakenInOne() {
        take(16, 10);
        demand.tick();
        long wanted = demand.wanted(4);
        assertThat(wanted).isGreaterThanOrEqualTo(10);
        take(16, 2);
        demand.tick();
        assertThat(demand.wanted(4)).as("the fastest lately").isBetween(10L, wanted);
        assertThat(demand.isActive()).isTrue();
    }

    @Test
    void tick_withoutTakes_fadesAndEnds() {
        take(16, 10);
        demand.tick();
        long before = demand.wanted(4);
        for (int i = 0; i < 50; i++) {
            demand.tick();
            assertThat(demand.wanted(4)).isLessThanOrEqualTo(before);
            before = demand.wanted(4);
        }
        assertThat(fade()).isLessThan(LONG);
        assertThat(demand.wanted(4)).isZero();
    }

    @Test
    void runLength_isTheLargestLately() {
        assertThat(demand.runLength(3)).isEqualTo(8);
        take(5, 1);
        take(7, 1);
        take(6, 1);
        demand.tick();
        assertThat(demand.runLength(3)).isGreaterThanOrEqualTo(7);
        fade();
        assertThat(demand.runLength(3)).isEqualTo(8);
    }

    @Test
    void expect_isWantedUntilItWasTaken() {
        demand.expect(8, 5);
        assertThat(demand.wanted(3)).isGreaterThanOrEqualTo(5);
        assertThat(demand.isActive()).isTrue();
        take(8, 5);
        fade();
        assertThat(demand.wanted(3)).isZero();
        assertThat(demand.isActive()).isFalse();
    }

    /** A thread that announces and never takes keeps nobody busy for ever. */
    @Test
    void expect_neverTaken_isVoidInTheEnd() {
        demand.expect(8, 5);
        assertThat(fade()).isBetween(1, LONG - 1);
        assertThat(demand.wanted(3)).isZero();
    }

    @Test
    void zeroLately_countsGranulesAndFades() {
        demand.asked(4, true);
        demand.asked(4, false);
        assertThat(demand.zeroLately()).isEqualTo(4);
        demand.tick();
        assertThat(demand.zeroLately()).isBetween(3L, 4L);
        for (int i = 0; i < LONG; i++) {
            demand.tick();
        }
        assertThat(demand.zeroLately()).isZero();
    }
}
