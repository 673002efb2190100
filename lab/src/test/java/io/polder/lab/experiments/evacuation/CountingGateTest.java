package io.polder.lab.experiments.evacuation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** The gates that are compared keep the promises of a gate: else their figures say nothing. */
@Timeout(300)
class CountingGateTest {
    @ParameterizedTest
    @ValueSource(ints = {1, CountingGate.STRIPES})
    void begin_closed_isRefusedUntilReopened(int counters) {
        CountingGate gate = new CountingGate(counters);
        long section = gate.begin();
        assertThat(section).isPositive();
        assertThatThrownBy(gate::verifyEmpty).hasMessageContaining("nobody is inside");
        gate.end(section);
        gate.close();
        assertThat(gate.begin()).isZero();
        gate.reopen();
        gate.end(gate.begin());
        gate.verifyEmpty();
    }

    /** As long as the gate is closed nobody is inside, and nobody enters. */
    @ParameterizedTest
    @ValueSource(ints = {1, CountingGate.STRIPES})
    void close_manyReaders_keepsThemOut(int counters) throws InterruptedException {
        CountingGate gate = new CountingGate(counters);
        int readers = 4;
        int rounds = 2_000;
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger entries = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        gate.close(); // before any of them begins, however busy the machine is
        for (int i = 0; i < readers; i++) {
            threads.add(
                    Thread.ofPlatform().daemon().start(() -> read(gate, rounds, inside, entries)));
        }
        boolean alive = true;
        while (alive) {
            assertThat(inside.get()).isZero();
            int before = entries.get();
            Thread.onSpinWait();
            assertThat(entries.get()).isEqualTo(before);
            gate.reopen();
            Thread.sleep(1);
            alive = threads.stream().anyMatch(Thread::isAlive);
            gate.close();
        }
        gate.reopen();
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(entries.get()).isEqualTo(readers * rounds);
        gate.verifyEmpty();
    }

    private static void read(
            CountingGate gate, int rounds, AtomicInteger inside, AtomicInteger entries) {
        for (int round = 0; round < rounds; round++) {
            long section = gate.begin();
            while (section == 0) {
                Thread.onSpinWait();
                section = gate.begin();
            }
            inside.incrementAndGet();
            entries.incrementAndGet();
            inside.decrementAndGet();
            gate.end(section);
        }
    }
}
