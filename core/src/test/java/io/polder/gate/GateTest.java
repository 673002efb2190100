package io.polder.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.ref.WeakReference;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;

/** What every kind of gate promises to platform threads. */
@Timeout(300)
class GateTest extends GateFixture {
    GateTest(GateUnderTest kind) {
        super(kind);
    }

    @Test
    void leave_nested_endsTheSectionWithTheLast() {
        assertThat(gate.isInside()).isFalse();
        scopes.enter();
        assertThat(scopes.tryEnter()).isTrue();
        scopes.enter();
        scopes.leave();
        scopes.leave();
        assertThat(gate.isInside()).isTrue();
        assertThat(GateCheck.inside(gate)).isEqualTo(1);
        scopes.leave();
        assertThat(gate.isInside()).isFalse();
    }

    @Test
    void accessor_inAnotherThread_throws() {
        Accessor mine = gate.accessor();
        ScriptedThread guest = platform();
        guest.run(
                () -> {
                    assertThatThrownBy(mine::begin).isInstanceOf(AssertionError.class);
                    assertThatThrownBy(() -> mine.end(1))
                            .hasMessageContaining("belongs to the thread");
                });
    }

    @Test
    void inside_openOrClosed_runsOneOrTheOther() {
        assertThat(inside(1)).isEqualTo(1);
        assertThat(gate.isInside()).isFalse();
        assertThatThrownBy(() -> inside(0)).hasMessage("/ by zero");
        assertThat(gate.isInside()).isFalse();
        gate.close();
        assertThat(inside(1)).isEqualTo(-1);
        GateCheck.verifyEmpty(gate);
        gate.reopen();
    }

    private long inside(long number) {
        String said =
                gate.inside(
                        (test, its, word) -> word + test.insideAsLong(its),
                        this,
                        number,
                        "inside ",
                        () -> "closed");
        return said.equals("closed") ? insideAsLong(number) : Long.parseLong(said.substring(7));
    }

    private long insideAsLong(long number) {
        return gate.insideAsLong(
                (test, its, _, _, _, _) -> test.gate.isInside() ? 1 / its : 0,
                this,
                number,
                0,
                0,
                0,
                null,
                () -> -1);
    }

    @Test
    void tryEnter_closed_isRefused() {
        scopes.enter();
        scopes.leave();
        gate.close();
        assertThat(gate.isClosed()).isTrue();
        assertThat(scopes.tryEnter()).isFalse();
        assertThat(gate.isInside()).isFalse();
        ScriptedThread unknownSoFar = platform();
        assertThat(unknownSoFar.call(scopes::tryEnter)).isFalse();
        GateCheck.verifyEmpty(gate);
        gate.reopen();
        assertThat(gate.isClosed()).isFalse();
        assertThat(scopes.tryEnter()).isTrue();
        scopes.leave();
    }

    @Test
    void close_somebodyInside_waitsAndLetsThemEnterAgain() {
        ScriptedThread inside = platform();
        ScriptedThread closer = platform();
        inside.run(scopes::enter);
        FutureTask<Boolean> closed = closer.beginBlocking(gate::close);
        assertThat(gate.isClosed()).isTrue();
        assertThat(scopes.tryEnter()).isFalse();
        assertThat(inside.call(scopes::tryEnter)).isTrue();
        inside.run(scopes::enter);
        inside.run(scopes::leave);
        inside.run(scopes::leave);
        GateCheck.verifyClosed(gate);
        assertThat(closed.isDone()).isFalse();
        inside.run(scopes::leave);
        ScriptedThread.get(closed);
        assertThat(inside.call(scopes::tryEnter)).isFalse();
    }

    @Test
    void close_byTwo_bothWaitAndOneReopens() {
        ScriptedThread inside = platform();
        ScriptedThread first = platform();
        ScriptedThread second = platform();
        inside.run(scopes::enter);
        FutureTask<Boolean> one = first.beginBlocking(gate::close);
        FutureTask<Boolean> two = second.beginBlocking(gate::close);
        inside.run(scopes::leave);
        ScriptedThread.get(one);
        ScriptedThread.get(two);
        first.run(gate::reopen);
        assertThat(scopes.tryEnter()).isTrue();
        scopes.leave();
    }

    @Test
    void close_interrupted_waitsOnAndStaysInterrupted() {
        ScriptedThread inside = platform();
        ScriptedThread closer = platform();
        inside.run(scopes::enter);
        FutureTask<Boolean> closed = closer.beginBlocking(gate::close);
        closer.thread().interrupt();
        closer.thread().interrupt();
        ScriptedThread.pause();
        assertThat(closed.isDone()).isFalse();
        inside.run(scopes::leave);
        assertThat(ScriptedThread.get(closed)).as("interrupted").isTrue();
    }

    @Test
    void waiting_fromInside_throws() {
        scopes.enter();
        assertThatIllegalStateException()
                .isThrownBy(gate::close)
                .withMessageContaining("must not wait for itself");
        assertThatIllegalStateException().isThrownBy(gate::synchronize);
        assertThat(gate.isClosed()).isFalse();
        scopes.leave();
    }

    @Test
    void reopen_somebodyInside_waits() {
        gate.reopen();
        assertThat(gate.isClosed()).as("it was open").isFalse();
        ScriptedThread inside = platform();
        ScriptedThread closer = platform();
        ScriptedThread opener = platform();
        inside.run(scopes::enter);
        FutureTask<Boolean> closed = closer.beginBlocking(gate::close);
        FutureTask<Boolean> opened = opener.beginBlocking(gate::reopen);
        GateCheck.verifyClosed(gate);
        assertThat(scopes.tryEnter()).isFalse();
        inside.run(scopes::leave);
        ScriptedThread.get(closed);
        ScriptedThread.get(opened);
        assertThat(gate.isClosed()).isFalse();
        GateCheck.verifyEmpty(gate);
    }

    @Test
    void reopen_fromInside_throws() {
        scopes.enter();
        assertThatIllegalStateException()
                .isThrownBy(gate::reopen)
                .withMessageContaining("must not wait for itself");
        assertThat(gate.isClosed()).isFalse();
        scopes.leave();
    }

    @Test
    void awaitEarlier_nobodyInside_returns() {
        for (int i = 0; i < 5; i++) {
            int other = gate.virtual.otherPhase(0);
            gate.synchronize();
            assertThat(gate.virtual.otherPhase(0)).as("flipped").isEqualTo(1 - other);
            scopes.enter();
            scopes.leave();
        }
    }

    @Test
    void awaitEarlier_somebodyInside_waitsAndHoldsNobodyUp() {
        ScriptedThread inside = platform();
        ScriptedThread newcomer = platform();
        ScriptedThread waiter = platform();
        inside.run(scopes::enter);
        FutureTask<Boolean> over = waiter.beginBlocking(gate::synchronize);
        newcomer.run(scopes::enter);
        newcomer.run(scopes::leave);
        newcomer.run(scopes::enter);
        assertThat(over.isDone()).isFalse();
        GateCheck.verify(gate);
        inside.run(scopes::leave);
        ScriptedThread.get(over);
        assertThat(newcomer.call(gate::isInside)).isTrue();
        newcomer.run(scopes::leave);
    }

    @Test
    void whileWaiting_readersStayInside_isCalledAgainAndAgain() throws InterruptedException {
        Semaphore calls = new Semaphore(0);
        gate.whileWaiting(calls, Semaphore::release);
        gate.synchronize();
        assertThat(calls.availablePermits()).isZero();
        for (ScriptedThread inside : List.of(platform(), virtual())) {
            ScriptedThread waiter = platform();
            inside.run(scopes::enter);
            FutureTask<Boolean> over = waiter.beginBlocking(gate::synchronize);
            calls.acquire(5);
            assertThat(over.isDone()).isFalse();
            inside.run(scopes::leave);
            ScriptedThread.get(over);
        }
    }

    /** Threads that have passed a gate know it for as long as they live, but not its user. */
    @Test
    void whileWaiting_nobodyElseKeepsTheTarget_isForgotten() {
        scopes.enter();
        scopes.leave();
        WeakReference<Object> target = targetOf(gate);
        while (target.get() != null) { // fails by the time-out
            System.gc();
        }
        ScriptedThread inside = platform();
        inside.run(scopes::enter);
        FutureTask<Boolean> over = platform().beginBlocking(gate::synchronize);
        ScriptedThread.pause();
        inside.run(scopes::leave);
        ScriptedThread.get(over);
    }

    private static WeakReference<Object> targetOf(Gate gate) {
        Object target = new Object();
        gate.whileWaiting(
                target,
                _ -> {
                    throw new AssertionError("it is gone");
                });
        return new WeakReference<>(target);
    }

    @Test
    void awaitEarlier_nextSectionOfTheSameThread_isNotWaitedFor() {
        ScriptedThread inside = platform();
        ScriptedThread waiter = platform();
        inside.run(scopes::enter);
        FutureTask<Boolean> over = waiter.beginBlocking(gate::synchronize);
        inside.run(
                () -> {
                    scopes.leave();
                    scopes.enter();
                });
        ScriptedThread.get(over);
        assertThat(inside.call(gate::isInside)).isTrue();
        inside.run(scopes::leave);
    }

    @Test
    void awaitEarlier_twoAtATime_bothReturn() {
        ScriptedThread inside = platform();
        ScriptedThread later = platform();
        ScriptedThread first = platform();
        ScriptedThread second = platform();
        inside.run(scopes::enter);
        FutureTask<Boolean> one = first.beginBlocking(gate::synchronize);
        later.run(scopes::enter);
        FutureTask<Boolean> two = second.beginBlocking(gate::synchronize);
        inside.run(scopes::leave);
        ScriptedThread.get(one);
        assertThat(two.isDone()).isFalse();
        later.run(scopes::leave);
        ScriptedThread.get(two);
    }

    @Test
    void awaitEarlier_whileAnotherCloses_bothReturn() {
        ScriptedThread inside = platform();
        ScriptedThread first = platform();
        ScriptedThread second = platform();
        inside.run(scopes::enter);
        FutureTask<Boolean> over = first.beginBlocking(gate::synchronize);
        FutureTask<Boolean> closed = second.beginBlocking(gate::close);
        inside.run(scopes::leave);
        ScriptedThread.get(over);
        ScriptedThread.get(closed);
    }

    @Test
    void closeFromInside_nested_givesUpAllScopes() {
        scopes.enter();
        scopes.enter();
        scopes.enter();
        gate.closeFromInside();
        assertThat(gate.isInside()).isFalse();
        assertThat(scopes.tryEnter()).isFalse();
        GateCheck.verifyEmpty(gate);
        scopes.leave();
        gate.reopen();
        scopes.enter();
        assertThat(gate.isInside()).isTrue();
        scopes.leave();
        assertThat(gate.isInside()).isFalse();
        scopes.leave();
        scopes.leave();
    }

    @Test
    void closeFromInside_again_addsUpScopes() {
        scopes.enter();
        gate.closeFromInside();
        gate.reopen();
        scopes.enter();
        scopes.enter();
        gate.closeFromInside();
        scopes.leave();
        scopes.leave();
        scopes.leave();
    }

    @Test
    void closeFromInside_byTwoInside_neitherWaitsForTheOther() {
        ScriptedThread first = platform();
        ScriptedThread second = platform();
        first.run(scopes::enter);
        second.run(scopes::enter);
        second.run(scopes::enter);
        FutureTask<Boolean> one = first.beginBlocking(gate::closeFromInside);
        second.run(gate::closeFromInside);
        ScriptedThread.get(one);
        GateCheck.verifyEmpty(gate);
        first.run(scopes::leave);
        second.run(scopes::leave);
        second.run(scopes::leave);
    }

    @Test
    void closeFromInside_outside_isClose() {
        gate.closeFromInside();
        assertThat(gate.isClosed()).isTrue();
    }

    @Test
    void close_threadEndedInside_endsItsSection() {
        try (ScriptedThread guest = ScriptedThread.platform()) {
            guest.run(scopes::enter);
            guest.run(scopes::enter);
        }
        gate.close();
        assertThat(GateCheck.endedInside(gate)).isEqualTo(1);
        assertThat(GateCheck.inside(gate)).isZero();
        gate.reopen();
    }

    @Test
    void awaitEarlier_threadEndsInsideMeanwhile_endsItsSection() {
        try (ScriptedThread waiter = ScriptedThread.platform()) {
            FutureTask<Boolean> over;
            try (ScriptedThread guest = ScriptedThread.platform()) {
                guest.run(scopes::enter);
                over = waiter.beginBlocking(gate::synchronize);
            }
            ScriptedThread.get(over);
        }
        assertThat(GateCheck.endedInside(gate)).isEqualTo(1);
    }

    @Test
    void longestInside_stalledReader_isNamed() {
        assertThat(gate.longestInside()).isNull();
        ScriptedThread stalled = platform();
        ScriptedThread later = platform();
        stalled.thread().setName("stalled");
        stalled.run(scopes::enter);
        assertThat(insider(gate).atLeastNanos()).isZero();
        later.run(scopes::enter);
        ScriptedThread.pause();
        Insider longest = insider(gate);
        assertThat(longest.thread()).isEqualTo("stalled");
        assertThat(longest.atLeastNanos()).isPositive();
        assertThat(GateCheck.inside(gate)).isEqualTo(2);
        stalled.run(scopes::leave);
        stalled.run(scopes::enter);
        assertThat(insider(gate).thread()).isEqualTo("guest");
        stalled.run(scopes::leave);
        later.run(scopes::leave);
        assertThat(gate.longestInside()).isNull();
    }

    private static Insider insider(Gate gate) {
        return Objects.requireNonNull(gate.longestInside());
    }

    @Test
    void slots_manyShortThreads_areUsedAgain() {
        int threads = 1000;
        for (int i = 0; i < threads; i++) {
            boolean endsInside = i % 10 == 0;
            try (ScriptedThread guest = ScriptedThread.platform()) {
                guest.run(scopes::enter);
                if (!endsInside) {
                    guest.run(scopes::leave);
                }
            }
            assertThat(GateCheck.slots(gate)).isEqualTo(1);
        }
        GateCheck.verify(gate);
        gate.close();
        assertThat(GateCheck.endedInside(gate)).isEqualTo(threads / 10);
    }

    @Test
    void slots_manyThreadsAtATime_areAllWaitedFor() {
        int threads = 131;
        ScriptedThread[] guests = new ScriptedThread[threads];
        ScriptedThread closer = platform();
        for (int i = 0; i < threads; i++) {
            guests[i] = ScriptedThread.platform();
            guests[i].run(scopes::enter);
        }
        assertThat(GateCheck.inside(gate)).isEqualTo(threads);
        FutureTask<Boolean> closed = closer.beginBlocking(gate::close);
        GateCheck.verify(gate);
        for (int i = threads - 1; i >= 0; i--) {
            assertThat(closed.isDone()).isFalse();
            guests[i].run(scopes::leave);
        }
        ScriptedThread.get(closed);
        for (ScriptedThread guest : guests) {
            assertThat(guest.call(scopes::tryEnter)).isFalse();
            guest.close();
        }
        gate.reopen();
    }

    @Test
    void accessor_idsThatNameOneEntry_isEachItsOwn() {
        Accessor here = gate.accessor();
        try (ScriptedThread guest = sameEntry()) {
            Accessor there = guest.call(gate::accessor);
            assertThat(there).isNotSameAs(here);
            assertThat(there.ownerId).isEqualTo(guest.thread().threadId());
            assertThat(guest.call(gate::accessor)).isSameAs(there);
            assertThat(gate.accessor()).isSameAs(here);
        }
    }

    /** A thread whose id names the same entry as that of this one. */
    private static ScriptedThread sameEntry() {
        int wanted = Gate.index(Thread.currentThread());
        while (true) {
            long id = Thread.ofPlatform().unstarted(() -> {}).threadId() + 1;
            if (id % Gate.ENTRIES == wanted) {
                ScriptedThread guest = ScriptedThread.platform();
                if (guest.thread().threadId() == id) {
                    return guest;
                }
                guest.close(); // somebody else made a thread
            }
        }
    }

    @Test
    void close_fenceFails_throwsAndCanBeRepeated() {
        boolean[] fails = {true};
        Gate failing =
                new Gate(
                        () -> {
                            if (fails[0]) {
                                throw new IllegalStateException("failed");
                            }
                        });
        assertThatIllegalStateException().isThrownBy(failing::close).withMessage("failed");
        assertThat(failing.isClosed()).isTrue();
        assertThat(failing.accessor().begin()).isZero();
        GateCheck.verifyClosed(failing);
        fails[0] = false;
        failing.close();
        failing.reopen();
        GateCheck.verifyEmpty(failing);
    }
}
