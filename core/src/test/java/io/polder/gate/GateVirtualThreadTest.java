package io.polder.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;

/** What every kind of gate promises to virtual threads. */
@Timeout(300)
class GateVirtualThreadTest {
    private static final CountDownLatch PINNED = new CountDownLatch(1);
    private static final CountDownLatch UNPIN = new CountDownLatch(1);

    @ParameterizedTest
    @EnumSource
    void close_virtualThreadBlockedInside_waitsForIt(GateUnderTest kind) {
        Gate gate = kind.create();
        try (ScriptedThread inside = ScriptedThread.virtual();
                ScriptedThread closer = ScriptedThread.platform()) {
            inside.run(gate::enter);
            inside.run(gate::enter);
            FutureTask<Boolean> closed = closer.beginBlocking(gate::close);
            assertThat(inside.call(gate::tryEnter)).isTrue();
            inside.run(gate::leave);
            inside.run(gate::leave);
            assertThat(inside.call(gate::isInside)).isTrue();
            assertThat(closed.isDone()).isFalse();
            inside.run(gate::leave);
            ScriptedThread.get(closed);
            assertThat(inside.call(gate::tryEnter)).isFalse();
        }
        gate.reopen();
        gate.verifyEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void close_byVirtualThread_waitsForPlatformThread(GateUnderTest kind) {
        Gate gate = kind.create();
        try (ScriptedThread inside = ScriptedThread.platform();
                ScriptedThread closer = ScriptedThread.virtual();
                ScriptedThread third = ScriptedThread.virtual()) {
            inside.run(gate::enter);
            FutureTask<Boolean> closed = closer.beginBlocking(gate::close);
            FutureTask<Boolean> entered = third.beginBlocking(gate::enter);
            inside.run(gate::leave);
            ScriptedThread.get(closed);
            assertThat(entered.isDone()).isFalse();
            closer.run(gate::reopen);
            ScriptedThread.get(entered);
            third.run(gate::leave);
        }
        gate.verifyEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void awaitEarlier_manyVirtualThreadsInside_waitsForAllAndForNoNewcomer(GateUnderTest kind) {
        Gate gate = kind.create();
        List<ScriptedThread> early = new ArrayList<>();
        try (ScriptedThread waiter = ScriptedThread.virtual();
                ScriptedThread newcomer = ScriptedThread.virtual()) {
            for (int i = 0; i < 200; i++) {
                ScriptedThread guest = ScriptedThread.virtual();
                guest.run(gate::enter);
                early.add(guest);
            }
            FutureTask<Boolean> over = waiter.beginBlocking(gate::synchronize);
            newcomer.run(gate::enter);
            for (ScriptedThread guest : early) {
                assertThat(over.isDone()).isFalse();
                guest.run(gate::leave);
                guest.run(gate::enter);
            }
            ScriptedThread.get(over);
            newcomer.run(gate::leave);
            early.forEach(guest -> guest.run(gate::leave));
            early.forEach(ScriptedThread::close);
        }
        gate.verifyEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void closeFromInside_virtualThreads_giveUpTheirSections(GateUnderTest kind) {
        Gate gate = kind.create();
        try (ScriptedThread first = ScriptedThread.virtual();
                ScriptedThread second = ScriptedThread.virtual()) {
            first.run(gate::enter);
            second.run(gate::enter);
            second.run(gate::enter);
            FutureTask<Boolean> one = first.beginBlocking(gate::closeFromInside);
            second.run(gate::closeFromInside);
            ScriptedThread.get(one);
            first.run(gate::leave);
            second.run(gate::leave);
            second.run(gate::leave);
            second.run(() -> assertThatIllegalStateException().isThrownBy(gate::leave));
        }
        gate.verifyEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void virtualThreads_takeNoSlots(GateUnderTest kind) {
        Gate gate = kind.create();
        for (int i = 0; i < 1000; i++) {
            try (ScriptedThread guest = ScriptedThread.virtual()) {
                guest.run(gate::enter);
                guest.run(gate::leave);
            }
        }
        assertThat(gate.statistics().slots()).isZero();
        gate.verifyEmpty();
    }

    @Test
    void statistics_virtualThreadInside_isCountedApart() {
        Gate gate = new SlotGate(GateFence.full());
        try (ScriptedThread guest = ScriptedThread.virtual()) {
            guest.run(gate::enter);
            assertThat(gate.statistics().virtualInside()).isEqualTo(1);
            assertThat(gate.statistics().inside()).isZero();
            guest.run(gate::leave);
        }
        assertThat(gate.statistics().virtualInside()).isZero();
    }

    /** While its class is initialised a virtual thread cannot leave its carrier. */
    private static final class Pinning {
        static final boolean DONE = pin();

        private Pinning() {}

        private static boolean pin() {
            PINNED.countDown();
            try {
                UNPIN.await();
            } catch (InterruptedException e) {
                throw new AssertionError("nobody interrupts tests", e);
            }
            return true;
        }
    }

    @Test
    void close_virtualThreadPinnedInside_waitsForIt() throws Exception {
        Gate gate = new SlotGate(GateFence.full());
        try (ScriptedThread inside = ScriptedThread.virtual();
                ScriptedThread closer = ScriptedThread.platform()) {
            inside.run(gate::enter);
            FutureTask<Boolean> pinned = inside.begin(() -> Pinning.DONE);
            PINNED.await();
            FutureTask<Boolean> closed = closer.beginBlocking(gate::close);
            UNPIN.countDown();
            assertThat(ScriptedThread.get(pinned)).isTrue();
            assertThat(closed.isDone()).isFalse();
            inside.run(gate::leave);
            ScriptedThread.get(closed);
        }
        gate.verifyEmpty();
    }
}
