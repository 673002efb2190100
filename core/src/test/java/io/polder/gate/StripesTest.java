package io.polder.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.api.Test;

/** Counters, phases and who is told that the last one has left. */
class StripesTest {
    private final Stripes stripes = new Stripes(4, new ReaderWait());

    @Test
    void of_idsInARow_areSpreadEvenly() {
        Stripes many = new Stripes(64, new ReaderWait());
        int[] uses = new int[many.count];
        for (long id = 100; id < 100 + 4L * many.count; id++) {
            uses[many.of(id)]++;
        }
        for (int use : uses) {
            assertThat(use).isBetween(3, 5);
        }
        assertThat(new Stripes(1, new ReaderWait()).of(Long.MAX_VALUE)).isZero();
    }

    @Test
    void enter_beforeAndAfterTurningOver_isCountedApart() {
        assertThat(stripes.tryEnter(1)).isZero();
        assertThat(stripes.flip(1)).isZero();
        assertThat(stripes.tryEnter(1)).isEqualTo(1);
        assertThat(stripes.tryEnter(1)).isEqualTo(1);
        assertThat(GateCheck.inside(stripes)).isEqualTo(3);
        assertThat(stripes.isEmpty(1, 0)).isFalse();
        long _ = stripes.leave(1, 0);
        assertThat(stripes.isEmpty(1, 0)).isTrue();
        assertThat(stripes.isEmpty(1, 1)).isFalse();
        assertThat(stripes.otherPhase(1)).isZero();
        long _ = stripes.leave(1, 1);
        long _ = stripes.leave(1, 1);
        assertThat(GateCheck.inside(stripes)).isZero();
    }

    @Test
    void leave_wanted_isTrueOnceForTheLastOfThatPhase() {
        stripes.tryEnter(2);
        stripes.tryEnter(2);
        stripes.flip(2);
        stripes.tryEnter(2);
        stripes.setWaiting(2, 0);
        assertThat(leave(2, 1)).isFalse();
        assertThat(leave(2, 0)).isFalse();
        assertThat(leave(2, 0)).isTrue();
        stripes.flip(2);
        stripes.tryEnter(2);
        assertThat(leave(2, 0)).isFalse();
        assertThat(GateCheck.inside(stripes)).isZero();
    }

    private boolean leave(int stripe, int phase) {
        return stripes.clearWaiting(stripe, phase, stripes.leave(stripe, phase));
    }

    @Test
    void mark_refusesUntilUnmarked() {
        int phase = stripes.tryEnter(3);
        stripes.mark();
        GateCheck.verify(stripes, true);
        assertThat(stripes.tryEnter(3)).isEqualTo(Stripes.REFUSED);
        assertThat(stripes.tryEnter(0)).isEqualTo(Stripes.REFUSED);
        long _ = stripes.leave(3, phase);
        assertThat(stripes.isEmpty(3, phase)).isTrue();
        stripes.unmark();
        GateCheck.verify(stripes, false);
        assertThat(stripes.tryEnter(3)).isZero();
    }

    @Test
    void verify_markedWithoutItsGate_throws() {
        stripes.mark();
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> GateCheck.verify(stripes, false))
                .withMessageContaining("a stripe must be closed iff its gate is: stripe=0");
    }
}
