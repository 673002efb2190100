package io.polder.gate;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.concurrent.FutureTask;

/**
 * A critical section whose end is cut off, as its caller says by stores in place, holds up nobody.
 */
@Timeout(300)
class CutOffTest {
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

    private static ScriptedThread guest(boolean virtual) {
        return virtual ? ScriptedThread.virtual() : ScriptedThread.platform();
    }

    @ParameterizedTest
    @CsvSource({
        "SLOT_FULL,false", "SLOT_ASYMMETRIC,false",
        "SLOT_FULL,true", "SLOT_ASYMMETRIC,true"
    })
    void end_cutOff_isOverForThoseWhoWait(GateUnderTest kind, boolean virtual) {
        Gate gate = kind.create();
        try (ScriptedThread cut = guest(virtual);
                ScriptedThread inside = guest(virtual);
                ScriptedThread waiter = ScriptedThread.platform()) {
            cut.run(() -> enterAndBeCutOff(gate));
            gate.synchronize();
            gate.close();
            gate.verifyEmpty();
            assertThat(cut.call(gate::isInside)).isFalse();
            assertThat(cut.call(gate::tryEnter)).as("closed").isFalse();
            gate.verifyEmpty();
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
            gate.verifyEmpty();
        }
        gate.verifyEmpty();
        assertThat(gate.statistics().inside()).isZero();
        assertThat(gate.statistics().virtualInside()).isZero();
    }

    /** Its thread is gone, so nobody will begin a critical section that ends the one before. */
    @ParameterizedTest
    @CsvSource({
        "SLOT_FULL,false", "SLOT_ASYMMETRIC,false",
        "SLOT_FULL,true", "SLOT_ASYMMETRIC,true"
    })
    void end_cutOffInThreadsThatEnded_isOverForThoseWhoWait(GateUnderTest kind, boolean virtual) {
        Gate gate = kind.create();
        for (int round = 0; round < 100; round++) {
            try (ScriptedThread cut = guest(virtual)) {
                cut.run(() -> enterAndBeCutOff(gate));
            }
            if (round % 10 == 0) {
                gate.synchronize();
            }
        }
        gate.close();
        gate.verifyEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void end_ofAnOuterScope_endsTheInnerOnesThatWereCutOff(GateUnderTest kind) {
        Gate gate = kind.create();
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
        try (ScriptedThread waiter = ScriptedThread.platform()) {
            FutureTask<Boolean> over = waiter.beginBlocking(gate::synchronize);
            accessor.end(outermost);
            ScriptedThread.get(over);
        }
        assertThat(accessor.isInside()).isFalse();
        gate.verifyEmpty();
        assertThat(accessor.begin()).isGreaterThan(outermost);
        gate.leave();
        gate.verifyEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void end_sectionGivenUpMeanwhile_doesNothing(GateUnderTest kind) {
        Gate gate = kind.create();
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
        gate.verifyEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void close_byTheThreadThatWasCutOff_isNotFromInside(GateUnderTest kind) {
        Gate gate = kind.create();
        enterAndBeCutOff(gate);
        gate.close();
        gate.reopen();
        enterAndBeCutOff(gate);
        gate.closeFromInside();
        gate.verifyEmpty();
        gate.reopen();
        gate.enter();
        gate.leave();
        gate.verifyEmpty();
    }

    /** The number of a critical section comes again after some seconds; a mark must not. */
    @ParameterizedTest
    @EnumSource
    void begin_afterACutOff_takesTheMarkAway(GateUnderTest kind) {
        Gate gate = kind.create();
        Accessor accessor = gate.accessor();
        enterAndBeCutOff(gate);
        assertThat(accessor.notEnded).isNotZero();
        accessor.end(accessor.begin());
        assertThat(accessor.notEnded).isZero();
        gate.verifyEmpty();
    }
}
