package io.polder.gate;

import static org.assertj.core.api.Assertions.assertThat;

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
        inside.run(scopes::enter);
        inside.run(scopes::enter);
        FutureTask<Boolean> closed = closer.beginBlocking(gate::close);
        assertThat(inside.call(scopes::tryEnter)).isTrue();
        inside.run(scopes::leave);
        inside.run(scopes::leave);
        assertThat(inside.call(gate::isInside)).isTrue();
        assertThat(closed.isDone()).isFalse();
        inside.run(scopes::leave);
        ScriptedThread.get(closed);
        assertThat(inside.call(scopes::tryEnter)).isFalse();
        gate.reopen();
    }

    @Test
    void close_byVirtualThread_waitsForPlatformThread() {
        ScriptedThread inside = platform();
        ScriptedThread closer = virtual();
        ScriptedThread third = virtual();
        inside.run(scopes::enter);
        FutureTask<Boolean> closed = closer.beginBlocking(gate::close);
        assertThat(third.call(scopes::tryEnter)).isFalse();
        inside.run(scopes::leave);
        ScriptedThread.get(closed);
        assertThat(third.call(scopes::tryEnter)).isFalse();
        closer.run(gate::reopen);
        third.run(scopes::enter);
        third.run(scopes::leave);
    }

    @Test
    void awaitEarlier_manyVirtualThreadsInside_waitsForAllAndForNoNewcomer() {
        List<ScriptedThread> early = new ArrayList<>();
        ScriptedThread waiter = virtual();
        ScriptedThread newcomer = virtual();
        for (int i = 0; i < 200; i++) {
            ScriptedThread guest = virtual();
            guest.run(scopes::enter);
            early.add(guest);
        }
        FutureTask<Boolean> over = waiter.beginBlocking(gate::synchronize);
        newcomer.run(scopes::enter);
        for (ScriptedThread guest : early) {
            assertThat(over.isDone()).isFalse();
            guest.run(scopes::leave);
            guest.run(scopes::enter);
        }
        ScriptedThread.get(over);
        newcomer.run(scopes::leave);
        early.forEach(guest -> guest.run(scopes::leave));
    }

    @Test
    void closeFromInside_virtualThreads_giveUpTheirSections() {
        ScriptedThread first = virtual();
        ScriptedThread second = virtual();
        first.run(scopes::enter);
        second.run(scopes::enter);
        second.run(scopes::enter);
        FutureTask<Boolean> one = first.beginBlocking(gate::closeFromInside);
        second.run(gate::closeFromInside);
        ScriptedThread.get(one);
        first.run(scopes::leave);
        second.run(scopes::leave);
        second.run(scopes::leave);
    }

    @Test
    void virtualThreads_takeNoSlots() {
        for (int i = 0; i < 1000; i++) {
            try (ScriptedThread guest = ScriptedThread.virtual()) {
                guest.run(scopes::enter);
                guest.run(scopes::leave);
            }
        }
        assertThat(GateCheck.slots(gate)).isZero();
    }

    @Test
    void virtualThreadInside_isCountedApart() {
        ScriptedThread guest = virtual();
        guest.run(scopes::enter);
        assertThat(GateCheck.inside(gate.virtual)).isEqualTo(1);
        assertThat(GateCheck.inside(gate)).isZero();
        guest.run(scopes::leave);
        assertThat(GateCheck.inside(gate.virtual)).isZero();
    }
}
