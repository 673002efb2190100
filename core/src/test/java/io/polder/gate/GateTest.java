package io.polder.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.Objects;
import java.util.concurrent.FutureTask;

/** What every kind of gate promises to platform threads. */
@Timeout(300)
class GateTest extends GateFixture {
    GateTest(GateUnderTest kind) {
        super(kind);
    }

    @Test
    void leave_nested_endsTheSectionWithTheLast() {
        assertThat(gate.isInside()).isFalse();
        gate.enter();
        assertThat(gate.tryEnter()).isTrue();
        gate.enter();
        gate.leave();
        gate.leave();
        assertThat(gate.isInside()).isTrue();
        assertThat(gate.statistics().inside()).isEqualTo(1);
        gate.leave();
        assertThat(gate.isInside()).isFalse();
    }

    @Test
    void leave_withoutEnter_throws() {
        assertThatIllegalStateException()
                .isThrownBy(gate::leave)
                .withMessageContaining("leave must follow enter in the same thread");
        gate.enter();
        gate.leave();
        assertThatIllegalStateException().isThrownBy(gate.accessor()::leave);
    }

    @Test
    void accessor_andGate_areOneSection() {
        Accessor accessor = gate.accessor();
        accessor.enter();
        assertThat(gate.isInside()).isTrue();
        gate.leave();
        assertThat(accessor.isInside()).isFalse();
        gate.enter();
        assertThat(accessor.tryEnter()).isTrue();
        accessor.leave();
        accessor.leave();
    }

    @Test
    void accessor_inAnotherThread_throws() {
        Accessor mine = gate.accessor();
        ScriptedThread guest = platform();
        guest.run(
                () -> {
                    assertThatThrownBy(mine::enter).isInstanceOf(AssertionError.class);
                    assertThatThrownBy(mine::tryEnter).isInstanceOf(AssertionError.class);
                    assertThatThrownBy(mine::leave).isInstanceOf(AssertionError.class);
                    assertThatThrownBy(mine::isInside)
                            .hasMessageContaining("belongs to the thread");
                });
    }

    @Test
    void tryEnter_closed_isRefused() {
        gate.enter();
        gate.leave();
        gate.close();
        assertThat(gate.isClosed()).isTrue();
        assertThat(gate.tryEnter()).isFalse();
        assertThat(gate.isInside()).isFalse();
        ScriptedThread unknownSoFar = platform();
        assertThat(unknownSoFar.call(gate::tryEnter)).isFalse();
        GateCheck.verifyEmpty(gate);
        gate.reopen();
        assertThat(gate.isClosed()).isFalse();
        assertThat(gate.tryEnter()).isTrue();
        gate.leave();
    }

    @Test
    void enter_closed_waitsUntilReopened() {
        gate.close();
        ScriptedThread guest = platform();
        FutureTask<Boolean> entered = guest.beginBlocking(gate::enter);
        guest.thread().interrupt();
        GateCheck.verify(gate);
        gate.reopen();
        assertThat(ScriptedThread.get(entered)).as("interrupted").isTrue();
        assertThat(guest.call(gate::isInside)).isTrue();
        guest.run(gate::leave);
    }

    @Test
    void close_somebodyInside_waitsAndLetsThemEnterAgain() {
        ScriptedThread inside = platform();
        ScriptedThread closer = platform();
        inside.run(gate::enter);
        FutureTask<Boolean> closed = closer.beginBlocking(gate::close);
        assertThat(gate.isClosed()).isTrue();
        assertThat(gate.tryEnter()).isFalse();
        assertThat(inside.call(gate::tryEnter)).isTrue();
        inside.run(gate::enter);
        inside.run(gate::leave);
        inside.run(gate::leave);
        GateCheck.verify(gate);
        assertThat(closed.isDone()).isFalse();
        inside.run(gate::leave);
        ScriptedThread.get(closed);
        assertThat(inside.call(gate::tryEnter)).isFalse();
        assertThat(gate.statistics().closes()).isEqualTo(1);
        assertThat(gate.statistics().longestWaitNanos()).isPositive();
    }

    @Test
    void close_byTwo_bothWaitAndOneReopens() {
        ScriptedThread inside = platform();
        ScriptedThread first = platform();
        ScriptedThread second = platform();
        inside.run(gate::enter);
        FutureTask<Boolean> one = first.beginBlocking(gate::close);
        FutureTask<Boolean> two = second.beginBlocking(gate::close);
        inside.run(gate::leave);
        ScriptedThread.get(one);
        ScriptedThread.get(two);
        first.run(gate::reopen);
        assertThat(gate.tryEnter()).isTrue();
        gate.leave();
    }

    @Test
    void close_interrupted_waitsOnAndStaysInterrupted() {
        ScriptedThread inside = platform();
        ScriptedThread closer = platform();
        inside.run(gate::enter);
        FutureTask<Boolean> closed = closer.beginBlocking(gate::close);
        closer.thread().interrupt();
        closer.thread().interrupt();
        ScriptedThread.pause();
        assertThat(closed.isDone()).isFalse();
        inside.run(gate::leave);
        assertThat(ScriptedThread.get(closed)).as("interrupted").isTrue();
    }

    @Test
    void waiting_fromInside_throws() {
        gate.enter();
        assertThatIllegalStateException()
                .isThrownBy(gate::close)
                .withMessageContaining("must not wait for itself");
        assertThatIllegalStateException().isThrownBy(gate::synchronize);
        assertThat(gate.isClosed()).isFalse();
        gate.leave();
    }

    @Test
    void reopen_notClosedOrNotYetDrained_throws() {
        assertThatIllegalStateException()
                .isThrownBy(gate::reopen)
                .withMessageContaining("must be closed");
        ScriptedThread inside = platform();
        ScriptedThread closer = platform();
        inside.run(gate::enter);
        FutureTask<Boolean> closed = closer.beginBlocking(gate::close);
        assertThatIllegalStateException().isThrownBy(gate::reopen);
        assertThat(gate.isClosed()).isTrue();
        inside.run(gate::leave);
        ScriptedThread.get(closed);
        gate.reopen();
    }

    @Test
    void awaitEarlier_nobodyInside_returns() {
        for (int i = 0; i < 5; i++) {
            gate.synchronize();
            gate.enter();
            gate.leave();
        }
        assertThat(gate.statistics().gracePeriods()).isEqualTo(5);
    }

    @Test
    void awaitEarlier_somebodyInside_waitsAndHoldsNobodyUp() {
        ScriptedThread inside = platform();
        ScriptedThread newcomer = platform();
        ScriptedThread waiter = platform();
        inside.run(gate::enter);
        FutureTask<Boolean> over = waiter.beginBlocking(gate::synchronize);
        newcomer.run(gate::enter);
        newcomer.run(gate::leave);
        newcomer.run(gate::enter);
        assertThat(over.isDone()).isFalse();
        GateCheck.verify(gate);
        inside.run(gate::leave);
        ScriptedThread.get(over);
        assertThat(newcomer.call(gate::isInside)).isTrue();
        newcomer.run(gate::leave);
    }

    @Test
    void awaitEarlier_nextSectionOfTheSameThread_isNotWaitedFor() {
        ScriptedThread inside = platform();
        ScriptedThread waiter = platform();
        inside.run(gate::enter);
        FutureTask<Boolean> over = waiter.beginBlocking(gate::synchronize);
        inside.run(
                () -> {
                    gate.leave();
                    gate.enter();
                });
        ScriptedThread.get(over);
        assertThat(inside.call(gate::isInside)).isTrue();
        inside.run(gate::leave);
    }

    @Test
    void awaitEarlier_twoAtATime_bothReturn() {
        ScriptedThread inside = platform();
        ScriptedThread later = platform();
        ScriptedThread first = platform();
        ScriptedThread second = platform();
        inside.run(gate::enter);
        FutureTask<Boolean> one = first.beginBlocking(gate::synchronize);
        later.run(gate::enter);
        FutureTask<Boolean> two = second.beginBlocking(gate::synchronize);
        inside.run(gate::leave);
        ScriptedThread.get(one);
        assertThat(two.isDone()).isFalse();
        later.run(gate::leave);
        ScriptedThread.get(two);
    }

    @Test
    void awaitEarlier_whileAnotherCloses_bothReturn() {
        ScriptedThread inside = platform();
        ScriptedThread first = platform();
        ScriptedThread second = platform();
        inside.run(gate::enter);
        FutureTask<Boolean> over = first.beginBlocking(gate::synchronize);
        FutureTask<Boolean> closed = second.beginBlocking(gate::close);
        inside.run(gate::leave);
        ScriptedThread.get(over);
        ScriptedThread.get(closed);
    }

    @Test
    void closeFromInside_nested_givesUpAllScopes() {
        gate.enter();
        gate.enter();
        gate.enter();
        gate.closeFromInside();
        assertThat(gate.isInside()).isFalse();
        assertThat(gate.tryEnter()).isFalse();
        GateCheck.verifyEmpty(gate);
        gate.leave();
        gate.reopen();
        gate.enter();
        assertThat(gate.isInside()).isTrue();
        gate.leave();
        assertThat(gate.isInside()).isFalse();
        gate.leave();
        gate.leave();
        assertThatIllegalStateException().isThrownBy(gate::leave);
    }

    @Test
    void closeFromInside_again_addsUpScopes() {
        gate.enter();
        gate.closeFromInside();
        gate.reopen();
        gate.enter();
        gate.enter();
        gate.closeFromInside();
        gate.leave();
        gate.leave();
        gate.leave();
        assertThatIllegalStateException().isThrownBy(gate::leave);
    }

    @Test
    void closeFromInside_byTwoInside_neitherWaitsForTheOther() {
        ScriptedThread first = platform();
        ScriptedThread second = platform();
        first.run(gate::enter);
        second.run(gate::enter);
        second.run(gate::enter);
        FutureTask<Boolean> one = first.beginBlocking(gate::closeFromInside);
        second.run(gate::closeFromInside);
        ScriptedThread.get(one);
        GateCheck.verifyEmpty(gate);
        first.run(gate::leave);
        second.run(gate::leave);
        second.run(gate::leave);
    }

    @Test
    void closeFromInside_outside_isClose() {
        gate.closeFromInside();
        assertThat(gate.isClosed()).isTrue();
        assertThatIllegalStateException().isThrownBy(gate::leave);
    }

    @Test
    void close_threadEndedInside_endsItsSection() {
        try (ScriptedThread guest = ScriptedThread.platform()) {
            guest.run(gate::enter);
            guest.run(gate::enter);
        }
        gate.close();
        GateStatistics statistics = gate.statistics();
        assertThat(statistics.endedInside()).isEqualTo(1);
        assertThat(statistics.inside()).isZero();
        gate.reopen();
    }

    @Test
    void awaitEarlier_threadEndsInsideMeanwhile_endsItsSection() {
        try (ScriptedThread waiter = ScriptedThread.platform()) {
            FutureTask<Boolean> over;
            try (ScriptedThread guest = ScriptedThread.platform()) {
                guest.run(gate::enter);
                over = waiter.beginBlocking(gate::synchronize);
            }
            ScriptedThread.get(over);
        }
        assertThat(gate.statistics().endedInside()).isEqualTo(1);
    }

    @Test
    void statistics_stalledReader_isNamed() {
        assertThat(gate.statistics().longestInside()).isNull();
        ScriptedThread stalled = platform();
        ScriptedThread later = platform();
        stalled.thread().setName("stalled");
        stalled.run(gate::enter);
        assertThat(insider(gate).atLeastNanos()).isZero();
        later.run(gate::enter);
        ScriptedThread.pause();
        GateStatistics.Insider longest = insider(gate);
        assertThat(longest.thread()).isEqualTo("stalled");
        assertThat(longest.atLeastNanos()).isPositive();
        assertThat(gate.statistics().inside()).isEqualTo(2);
        stalled.run(gate::leave);
        stalled.run(gate::enter);
        assertThat(insider(gate).thread()).isEqualTo("guest");
        stalled.run(gate::leave);
        later.run(gate::leave);
        assertThat(gate.statistics().longestInside()).isNull();
    }

    private static GateStatistics.Insider insider(Gate gate) {
        return Objects.requireNonNull(gate.statistics().longestInside());
    }

    @Test
    void slots_manyShortThreads_areUsedAgain() {
        int threads = 1000;
        for (int i = 0; i < threads; i++) {
            boolean endsInside = i % 10 == 0;
            try (ScriptedThread guest = ScriptedThread.platform()) {
                guest.run(gate::enter);
                if (!endsInside) {
                    guest.run(gate::leave);
                }
            }
            assertThat(gate.statistics().slots()).isLessThanOrEqualTo(ReaderRegistry.LOOK_AT + 1);
        }
        GateCheck.verify(gate);
        gate.close();
        assertThat(gate.statistics().endedInside()).isEqualTo(threads / 10);
    }

    @Test
    void slots_manyThreadsAtATime_areAllWaitedFor() {
        int threads = 131;
        ScriptedThread[] guests = new ScriptedThread[threads];
        ScriptedThread closer = platform();
        for (int i = 0; i < threads; i++) {
            guests[i] = ScriptedThread.platform();
            guests[i].run(gate::enter);
        }
        assertThat(gate.statistics().inside()).isEqualTo(threads);
        FutureTask<Boolean> closed = closer.beginBlocking(gate::close);
        GateCheck.verify(gate);
        for (int i = threads - 1; i >= 0; i--) {
            assertThat(closed.isDone()).isFalse();
            guests[i].run(gate::leave);
        }
        ScriptedThread.get(closed);
        for (ScriptedThread guest : guests) {
            assertThat(guest.call(gate::tryEnter)).isFalse();
            guest.close();
        }
        gate.reopen();
    }
}
