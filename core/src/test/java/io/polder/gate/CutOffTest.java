package io.polder.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.concurrent.FutureTask;

/**
 * A critical section whose end is cut short, as its caller says by stores in place, holds up
 * nobody.
 */
@Timeout(300)
class CutOffTest extends GateFixture {
    CutOffTest(GateUnderTest kind) {
        super(kind);
    }

    /** What {@link Gate#inside} does when its call of {@link Accessor#end} was cut short. */
    private void cutOff(Accessor accessor, long section) {
        accessor.notEnded = section;
        if (CriticalSection.isCounted(section) && !accessor.listed) {
            synchronized (accessor.stripes) {
                accessor.earlier = accessor.stripes.lastNotEnded;
                accessor.stripes.lastNotEnded = accessor;
                accessor.listed = true;
            }
        }
    }

    private void enterAndBeCutOff() {
        Accessor accessor = gate.accessor();
        cutOff(accessor, accessor.begin());
    }

    private ScriptedThread guest(boolean virtual) {
        return virtual ? virtual() : platform();
    }

    private static final Gate.LongOperation<CutOffTest, @Nullable Void> DESCEND =
            (test, depth, _, _, _, _) -> {
                test.deepest = depth;
                return test.descend(depth + 1);
            };

    private long deepest;

    private long descend(long depth) {
        return gate.insideAsLong(DESCEND, this, depth, 0, 0, 0, null, () -> -1);
    }

    /** Wherever the stack ends, the thread is outside when it is back. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void inside_untilTheStackEnds_isOver(boolean virtual) {
        ScriptedThread guest = guest(virtual);
        for (int round = 0; round < 20; round++) {
            guest.run(
                    () ->
                            assertThatExceptionOfType(StackOverflowError.class)
                                    .isThrownBy(() -> descend(0)));
            gate.synchronize();
            assertThat(guest.call(gate::isInside)).isFalse();
        }
        assertThat(deepest).isPositive();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void end_cutOff_isOverForThoseWhoWait(boolean virtual) {
        ScriptedThread cut = guest(virtual);
        ScriptedThread inside = guest(virtual);
        ScriptedThread waiter = platform();
        cut.run(this::enterAndBeCutOff);
        gate.synchronize();
        gate.close();
        GateCheck.verifyEmpty(gate);
        assertThat(cut.call(gate::isInside)).isFalse();
        assertThat(cut.call(scopes::tryEnter)).as("closed").isFalse();
        GateCheck.verifyEmpty(gate);
        gate.reopen();
        cut.run(this::enterAndBeCutOff);
        inside.run(scopes::enter);
        FutureTask<Boolean> over = waiter.beginBlocking(gate::synchronize);
        cut.run(scopes::enter);
        cut.run(scopes::leave);
        cut.run(this::enterAndBeCutOff);
        assertThat(over.isDone()).as("somebody is inside still").isFalse();
        inside.run(scopes::leave);
        ScriptedThread.get(over);
        gate.close();
        GateCheck.verifyEmpty(gate);
        assertThat(GateCheck.inside(gate)).isZero();
        assertThat(GateCheck.inside(gate.virtual)).isZero();
    }

    /** Its thread is gone, so nobody will begin a critical section that ends the one before. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void end_cutOffInThreadsThatEnded_isOverForThoseWhoWait(boolean virtual) {
        for (int round = 0; round < 100; round++) {
            try (ScriptedThread cut = guest(virtual)) {
                cut.run(this::enterAndBeCutOff);
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
        assertThat(gate.isInside()).isTrue();
        accessor.end(middle);
        long again = accessor.begin();
        assertThat(again).as("as deep as the one before").isEqualTo(middle);
        accessor.end(again);
        assertThat(gate.isInside()).isTrue();
        cutOff(accessor, accessor.begin());
        FutureTask<Boolean> over = platform().beginBlocking(gate::synchronize);
        accessor.end(outermost);
        ScriptedThread.get(over);
        assertThat(gate.isInside()).isFalse();
        GateCheck.verifyEmpty(gate);
        long next = accessor.begin();
        assertThat(next).isGreaterThan(outermost);
        accessor.end(next);
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
        assertThat(gate.isInside()).as("the next critical section is not theirs").isTrue();
        accessor.end(next);
        accessor.end(outer);
    }

    @Test
    void close_byTheThreadThatWasCutOff_isNotFromInside() {
        enterAndBeCutOff();
        gate.close();
        gate.reopen();
        enterAndBeCutOff();
        gate.closeFromInside();
        GateCheck.verifyEmpty(gate);
        gate.reopen();
        scopes.enter();
        scopes.leave();
    }

    /** The number of a critical section comes again after some seconds; a mark must not. */
    @Test
    void begin_afterACutOff_takesTheMarkAway() {
        Accessor accessor = gate.accessor();
        enterAndBeCutOff();
        assertThat(accessor.notEnded).isNotZero();
        accessor.end(accessor.begin());
        assertThat(accessor.notEnded).isZero();
    }
}
