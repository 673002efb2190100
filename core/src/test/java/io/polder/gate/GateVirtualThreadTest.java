package io.polder.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;

/** What every kind of gate promises to virtual threads. */
@Timeout(300)
class GateVirtualThreadTest extends GateFixture {
    GateVirtualThreadTest(GateUnderTest kind) {
        super(kind);
    }

    @Test
    void close_virtualThreadBlockedInside_waitsForIt() {
        ScriptedThread inside = virtual();
        ScriptedThread closer = platform();
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
        gate.reopen();
    }

    @Test
    void close_byVirtualThread_waitsForPlatformThread() {
        ScriptedThread inside = platform();
        ScriptedThread closer = virtual();
        ScriptedThread third = virtual();
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

    @Test
    void awaitEarlier_manyVirtualThreadsInside_waitsForAllAndForNoNewcomer() {
        List<ScriptedThread> early = new ArrayList<>();
        ScriptedThread waiter = virtual();
        ScriptedThread newcomer = virtual();
        for (int i = 0; i < 200; i++) {
            ScriptedThread guest = virtual();
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
    }

    @Test
    void closeFromInside_virtualThreads_giveUpTheirSections() {
        ScriptedThread first = virtual();
        ScriptedThread second = virtual();
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

    @Test
    void virtualThreads_takeNoSlots() {
        for (int i = 0; i < 1000; i++) {
            try (ScriptedThread guest = ScriptedThread.virtual()) {
                guest.run(gate::enter);
                guest.run(gate::leave);
            }
        }
        assertThat(gate.statistics().slots()).isZero();
    }

    @Test
    void statistics_virtualThreadInside_isCountedApart() {
        ScriptedThread guest = virtual();
        guest.run(gate::enter);
        assertThat(gate.statistics().virtualInside()).isEqualTo(1);
        assertThat(gate.statistics().inside()).isZero();
        guest.run(gate::leave);
        assertThat(gate.statistics().virtualInside()).isZero();
    }
}
