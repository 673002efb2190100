package io.polder.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** The gates that are compared keep the promises of a gate: else their figures say nothing. */
@Timeout(120)
class ComparedGatesTest {
    /** The gates, each open. */
    enum Compared {
        SINGLE,
        STRIPED;

        Gate open() {
            return this == SINGLE ? new SingleCounterGate() : new StripedGate();
        }
    }

    private static Thread begin(boolean virtual, Runnable work) {
        Thread.Builder builder = virtual ? Thread.ofVirtual() : Thread.ofPlatform().daemon();
        return builder.start(work);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError("nobody interrupts tests", e);
        }
    }

    /** Returns when a thread waits. */
    private static void awaitWaiting(Thread thread) throws InterruptedException {
        while (thread.getState() != Thread.State.TIMED_WAITING) {
            assertThat(thread.isAlive()).as("waits, and has not ended").isTrue();
            Thread.sleep(1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void leave_nested_endsWithTheLast(Compared compared) {
        Gate gate = compared.open();
        gate.enter();
        assertThat(gate.tryEnter()).isTrue();
        gate.leave();
        assertThat(gate.isInside()).isTrue();
        assertThat(gate.statistics().inside()).isEqualTo(1);
        gate.leave();
        assertThat(gate.isInside()).isFalse();
        assertThatIllegalStateException().isThrownBy(gate::leave);
        GateCheck.verifyEmpty(gate);
    }

    @ParameterizedTest
    @EnumSource
    void close_nobodyInside_letsNobodyInUntilReopened(Compared compared) {
        Gate gate = compared.open();
        gate.close();
        assertThat(gate.tryEnter()).isFalse();
        gate.reopen();
        assertThat(gate.tryEnter()).isTrue();
        assertThatIllegalStateException().isThrownBy(gate::close);
        gate.closeFromInside();
        assertThat(gate.isInside()).isFalse();
        gate.leave();
        gate.reopen();
        GateCheck.verifyEmpty(gate);
    }

    @ParameterizedTest
    @EnumSource
    void synchronize_readersInside_waitsForThemAndNotForLaterOnes(Compared compared)
            throws InterruptedException {
        for (boolean virtual : new boolean[] {false, true}) {
            Gate gate = compared.open();
            CountDownLatch entered = new CountDownLatch(1);
            CountDownLatch leave = new CountDownLatch(1);
            AtomicInteger done = new AtomicInteger();
            Thread reader =
                    begin(
                            virtual,
                            () -> {
                                gate.enter();
                                entered.countDown();
                                await(leave);
                                done.incrementAndGet();
                                gate.leave();
                            });
            await(entered);
            AtomicInteger seen = new AtomicInteger(-1);
            Thread waiter =
                    begin(
                            false,
                            () -> {
                                gate.synchronize();
                                seen.set(done.get());
                            });
            awaitWaiting(waiter);
            gate.enter(); // later, in the other phase
            leave.countDown();
            waiter.join();
            reader.join();
            assertThat(seen.get()).isEqualTo(1);
            gate.leave();
            GateCheck.verifyEmpty(gate);
        }
    }

    @ParameterizedTest
    @EnumSource
    void close_readerEndedInside_isReaped(Compared compared) throws InterruptedException {
        Gate gate = compared.open();
        Thread reader = begin(false, gate::enter);
        reader.join();
        gate.close();
        assertThat(gate.statistics().endedInside()).isEqualTo(1);
        gate.reopen();
        GateCheck.verifyEmpty(gate);
    }

    /** As long as the gate is closed nobody is inside, and nobody enters. */
    @ParameterizedTest
    @EnumSource
    void close_manyReadersAndClosers_keepsThemOut(Compared compared) throws InterruptedException {
        Gate gate = compared.open();
        int readers = 4;
        int rounds = 2_000;
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger entries = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < readers; i++) {
            threads.add(
                    begin(
                            i % 2 == 0,
                            () -> {
                                for (int round = 0; round < rounds; round++) {
                                    gate.enter();
                                    inside.incrementAndGet();
                                    entries.incrementAndGet();
                                    inside.decrementAndGet();
                                    gate.leave();
                                }
                            }));
        }
        int closes = 0;
        while (threads.stream().anyMatch(Thread::isAlive)) {
            gate.close();
            assertThat(inside.get()).isZero();
            int before = entries.get();
            Thread.onSpinWait();
            assertThat(entries.get()).isEqualTo(before);
            gate.reopen();
            closes++;
            Thread.sleep(1);
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(entries.get()).isEqualTo(readers * rounds);
        assertThat(closes).isPositive();
        GateCheck.verifyEmpty(gate);
    }
}
