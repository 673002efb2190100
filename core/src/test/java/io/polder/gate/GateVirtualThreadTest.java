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
@Timeout(120)
class GateVirtualThreadTest {
    private static final CountDownLatch PINNED = new CountDownLatch(1);
    private static final CountDownLatch UNPIN = new CountDownLatch(1);

    @ParameterizedTest
    @EnumSource
    void close_virtualThreadBlockedInside_waitsForIt(GateUnderTest kind) {
        Gate gate = kind.create();
        try (Guest inside = Guest.virtual();
                Guest closer = Guest.platform()) {
            inside.run(gate::enter);
            inside.run(gate::enter);
            FutureTask<Boolean> closed = closer.beginBlocking(gate::close);
            assertThat(inside.call(gate::tryEnter)).isTrue();
            inside.run(gate::leave);
            inside.run(gate::leave);
            assertThat(inside.call(gate::isInside)).isTrue();
            assertThat(closed.isDone()).isFalse();
            inside.run(gate::leave);
            Guest.get(closed);
            assertThat(inside.call(gate::tryEnter)).isFalse();
        }
        gate.reopen();
        gate.verifyEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void close_byVirtualThread_waitsForPlatformThread(GateUnderTest kind) {
        Gate gate = kind.create();
        try (Guest inside = Guest.platform();
                Guest closer = Guest.virtual();
                Guest third = Guest.virtual()) {
            inside.run(gate::enter);
            FutureTask<Boolean> closed = closer.beginBlocking(gate::close);
            FutureTask<Boolean> entered = third.beginBlocking(gate::enter);
            inside.run(gate::leave);
            Guest.get(closed);
            assertThat(entered.isDone()).isFalse();
            closer.run(gate::reopen);
            Guest.get(entered);
            third.run(gate::leave);
        }
        gate.verifyEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void awaitEarlier_manyVirtualThreadsInside_waitsForAllAndForNoNewcomer(GateUnderTest kind) {
        Gate gate = kind.create();
        List<Guest> early = new ArrayList<>();
        try (Guest waiter = Guest.virtual();
                Guest newcomer = Guest.virtual()) {
            for (int i = 0; i < 200; i++) {
                Guest guest = Guest.virtual();
                guest.run(gate::enter);
                early.add(guest);
            }
            FutureTask<Boolean> over = waiter.beginBlocking(gate::awaitEarlier);
            newcomer.run(gate::enter);
            for (Guest guest : early) {
                assertThat(over.isDone()).isFalse();
                guest.run(gate::leave);
                guest.run(gate::enter);
            }
            Guest.get(over);
            newcomer.run(gate::leave);
            early.forEach(guest -> guest.run(gate::leave));
            early.forEach(Guest::close);
        }
        gate.verifyEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void closeFromInside_virtualThreads_giveUpTheirVisits(GateUnderTest kind) {
        Gate gate = kind.create();
        try (Guest first = Guest.virtual();
                Guest second = Guest.virtual()) {
            first.run(gate::enter);
            second.run(gate::enter);
            second.run(gate::enter);
            FutureTask<Boolean> one = first.beginBlocking(gate::closeFromInside);
            second.run(gate::closeFromInside);
            Guest.get(one);
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
            try (Guest guest = Guest.virtual()) {
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
        try (Guest guest = Guest.virtual()) {
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
        try (Guest inside = Guest.virtual();
                Guest closer = Guest.platform()) {
            inside.run(gate::enter);
            FutureTask<Boolean> pinned = inside.begin(() -> Pinning.DONE);
            PINNED.await();
            FutureTask<Boolean> closed = closer.beginBlocking(gate::close);
            UNPIN.countDown();
            assertThat(Guest.get(pinned)).isTrue();
            assertThat(closed.isDone()).isFalse();
            inside.run(gate::leave);
            Guest.get(closed);
        }
        gate.verifyEmpty();
    }
}
