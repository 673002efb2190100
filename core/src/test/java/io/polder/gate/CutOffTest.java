package io.polder.gate;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.concurrent.FutureTask;

/** Visits whose end is cut off, as their callers say by stores in place, hold up nobody. */
@Timeout(120)
class CutOffTest {
    /** What a caller does whose call of {@link Accessor#end} was cut off at its entry. */
    private static void cutOff(Accessor accessor, long visit) {
        accessor.notEnded = visit;
        if (accessor.earlier == null) {
            accessor.earlier = accessor.list.last;
            accessor.list.last = accessor;
        }
    }

    private static void enterAndBeCutOff(Gate gate) {
        Accessor accessor = gate.accessor();
        cutOff(accessor, accessor.begin());
    }

    private static Guest guest(boolean virtual) {
        return virtual ? Guest.virtual() : Guest.platform();
    }

    @ParameterizedTest
    @CsvSource({
        "SINGLE,false", "STRIPED,false", "SLOT_FULL,false", "SLOT_ASYMMETRIC,false",
        "SINGLE,true", "STRIPED,true", "SLOT_FULL,true", "SLOT_ASYMMETRIC,true"
    })
    void end_cutOff_isOverForThoseWhoWait(GateUnderTest kind, boolean virtual) {
        Gate gate = kind.create();
        try (Guest cut = guest(virtual);
                Guest inside = guest(virtual);
                Guest waiter = Guest.platform()) {
            cut.run(() -> enterAndBeCutOff(gate));
            gate.awaitEarlier();
            gate.close();
            gate.verifyEmpty();
            assertThat(cut.call(gate::isInside)).isFalse();
            assertThat(cut.call(gate::tryEnter)).as("closed").isFalse();
            gate.verifyEmpty();
            gate.reopen();
            cut.run(() -> enterAndBeCutOff(gate));
            inside.run(gate::enter);
            FutureTask<Boolean> over = waiter.beginBlocking(gate::awaitEarlier);
            cut.run(gate::enter);
            cut.run(() -> gate.accessor().leave());
            cut.run(() -> enterAndBeCutOff(gate));
            assertThat(over.isDone()).as("somebody is inside still").isFalse();
            inside.run(gate::leave);
            Guest.get(over);
            gate.close();
            gate.verifyEmpty();
        }
        gate.verifyEmpty();
        assertThat(gate.statistics().inside()).isZero();
        assertThat(gate.statistics().virtualInside()).isZero();
    }

    /** Its thread is gone, so nobody will begin a visit that ends the one before. */
    @ParameterizedTest
    @CsvSource({
        "SINGLE,false", "STRIPED,false", "SLOT_FULL,false", "SLOT_ASYMMETRIC,false",
        "SINGLE,true", "STRIPED,true", "SLOT_FULL,true", "SLOT_ASYMMETRIC,true"
    })
    void end_cutOffInThreadsThatEnded_isOverForThoseWhoWait(GateUnderTest kind, boolean virtual) {
        Gate gate = kind.create();
        for (int round = 0; round < 100; round++) {
            try (Guest cut = guest(virtual)) {
                cut.run(() -> enterAndBeCutOff(gate));
            }
            if (round % 10 == 0) {
                gate.awaitEarlier();
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
        try (Guest waiter = Guest.platform()) {
            FutureTask<Boolean> over = waiter.beginBlocking(gate::awaitEarlier);
            accessor.end(outermost);
            Guest.get(over);
        }
        assertThat(accessor.isInside()).isFalse();
        gate.verifyEmpty();
        assertThat(accessor.begin()).isGreaterThan(outermost);
        gate.leave();
        gate.verifyEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void end_visitGivenUpMeanwhile_doesNothing(GateUnderTest kind) {
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
        assertThat(accessor.isInside()).as("the next visit is not theirs").isTrue();
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

    /** The number of a visit comes again after some seconds; a mark must not. */
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
