package io.polder.gate;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.concurrent.FutureTask;

/**
 * A critical section whose end is cut off, as its caller says by stores in place, holds up nobody.
 */
@Timeout(300)
class CutOffTest extends GateFixture {
    CutOffTest(GateUnderTest kind) {
        super(kind);
    }

    /** What a caller does whose call of {@link Accessor#end} was cut off at its entry. */
    private static void cutOff(Accessor accessor, long section) {
        accessor.notEnded = section;
        if (accessor.earlier == null) {
            accessor.earlier = accessor.list.last;
            accessor.list.last = accessor;
        }
    }

    private static void enterAndBeCutOff(Gate gate) {
        Accessor accessor = gate.accessor();
        cutOff(accessor, accessor.begin());
    }

    private ScriptedThread guest(boolean virtual) {
        return virtual ? virtual() : platform();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void end_cutOff_isOverForThoseWhoWait(boolean virtual) {
        ScriptedThread cut = guest(virtual);
        ScriptedThread inside = guest(virtual);
        ScriptedThread waiter = platform();
        cut.run(() -> enterAndBeCutOff(gate));
        gate.synchronize();
        gate.close();
        GateCheck.verifyEmpty(gate);
        assertThat(cut.call(gate::isInside)).isFalse();
        assertThat(cut.call(gate::tryEnter)).as("closed").isFalse();
        GateCheck.verifyEmpty(gate);
        gate.reopen();
        cut.run(() -> enterAndBeCutOff(gate));
        inside.run(gate::enter);
        FutureTask<Boolean> over = waiter.beginBlocking(gate::synchronize);
        cut.run(gate::enter);
        cut.run(() -> gate.accessor().leave());
        cut.run(() -> enterAndBeCutOff(gate));
        assertThat(over.isDone()).as("somebody is inside still").isFalse();
        inside.run(gate::leave);
        ScriptedThread.get(over);
        gate.close();
        GateCheck.verifyEmpty(gate);
        assertThat(gate.statistics().inside()).isZero();
        assertThat(gate.statistics().virtualInside()).isZero();
    }

    /** Its thread is gone, so nobody will begin a critical section that ends the one before. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void end_cutOffInThreadsThatEnded_isOverForThoseWhoWait(boolean virtual) {
        for (int round = 0; round < 100; round++) {
            try (ScriptedThread cut = guest(virtual)) {
                cut.run(() -> enterAndBeCutOff(gate));
            }
            if (round % 10 == 0) {
                gate.synchronize();
            }
        }
        gate.close();
    }

    @Test
    void end_ofAnOuterScope_endsTheInnerOnesThatWereCutOff() {
        Accessor accessor = gate.accessor();
        long outermost = accessor.begin();
        long middle = accessor.begin();
        cutOff(accessor, accessor.begin());
        cutOff(accessor, accessor.begin());
        assertThat(accessor.isInside()).isTrue();
        accessor.end(middle);
        long again = accessor.begin();
        assertThat(again).as("as deep as the one before").isEqualTo(middle);
        accessor.end(again);
        assertThat(accessor.isInside()).isTrue();
        cutOff(accessor, accessor.begin());
        FutureTask<Boolean> over = platform().beginBlocking(gate::synchronize);
        accessor.end(outermost);
        ScriptedThread.get(over);
        assertThat(accessor.isInside()).isFalse();
        GateCheck.verifyEmpty(gate);
        assertThat(accessor.begin()).isGreaterThan(outermost);
        gate.leave();
    }

    @Test
    void end_sectionGivenUpMeanwhile_doesNothing() {
        Accessor accessor = gate.accessor();
        long outer = accessor.begin();
        long inner = accessor.begin();
        gate.closeFromInside();
        accessor.end(inner);
        gate.reopen();
        long next = accessor.begin();
        accessor.end(inner);
        accessor.end(outer);
        assertThat(accessor.isInside()).as("the next critical section is not theirs").isTrue();
        accessor.end(next);
        accessor.end(outer);
    }

    @Test
    void close_byTheThreadThatWasCutOff_isNotFromInside() {
        enterAndBeCutOff(gate);
        gate.close();
        gate.reopen();
        enterAndBeCutOff(gate);
        gate.closeFromInside();
        GateCheck.verifyEmpty(gate);
        gate.reopen();
        gate.enter();
        gate.leave();
    }

    /** The number of a critical section comes again after some seconds; a mark must not. */
    @Test
    void begin_afterACutOff_takesTheMarkAway() {
        Accessor accessor = gate.accessor();
        enterAndBeCutOff(gate);
        assertThat(accessor.notEnded).isNotZero();
        accessor.end(accessor.begin());
        assertThat(accessor.notEnded).isZero();
    }
}
