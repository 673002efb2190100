package io.polder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.polder.arena.ArenaFactory;
import io.polder.arena.Slabs;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/** Native code that holds a segment of a deferred arena: its close is fine, the real one waits. */
class DeferredDowncallTest {
    @RegisterExtension final Slabs fixture = new Slabs();

    private final ArenaFactory memory = fixture.create(4096, 2);

    @Test
    void close_duringADowncall_waitsInTheBackground() {
        Arena arena = memory.openDeferred();
        Arena other = memory.openDeferred();
        MemorySegment ints = arena.allocateFrom(ValueLayout.JAVA_INT, 3, 1, 2);
        List<Boolean> ticks = new ArrayList<>();
        Downcalls.sort(
                ints,
                (left, right) -> {
                    if (ticks.isEmpty()) {
                        arena.close();
                        other.close();
                    }
                    ticks.add(memory.tick());
                    return Downcalls.compareInts(left, right);
                });
        assertThat(ticks).as("each time it must be tried again").isNotEmpty().containsOnly(true);
        assertThat(ints.toArray(ValueLayout.JAVA_INT)).containsExactly(1, 2, 3);
        assertThat(ints.scope().isAlive()).isTrue();
        assertThat(memory.tick()).isFalse();
        assertThat(ints.scope().isAlive()).isFalse();
    }

    @Test
    void allocate_closedDuringADowncall_isRefused() {
        Arena arena = memory.openDeferred();
        MemorySegment ints = arena.allocateFrom(ValueLayout.JAVA_INT, 2, 1);
        Downcalls.sort(
                ints,
                (left, right) -> {
                    if (memory.deferredRetainedBytes() == 0) {
                        arena.close();
                    }
                    assertThatIllegalStateException().isThrownBy(() -> arena.allocate(1));
                    return Downcalls.compareInts(left, right);
                });
        memory.tick();
        assertThat(ints.scope().isAlive()).isFalse();
    }

    @Test
    @SuppressWarnings("restricted") // the only way to register an action
    void cleanupAction_ofAMember_runsOnceWithTheRealClose() {
        Arena arena = memory.openDeferred();
        Arena other = memory.openDeferred();
        MemorySegment segment = arena.allocate(100);
        Paint.paint(segment, 1);
        List<Boolean> seen = new ArrayList<>();
        segment.reinterpret(arenaOf(segment, other), bytes -> seen.add(Paint.isPainted(bytes, 1)));
        arena.close();
        memory.tick();
        assertThat(seen).as("a member is open").isEmpty();
        other.close();
        memory.tick();
        memory.tick();
        assertThat(seen).containsExactly(true);
    }

    /** An action belongs to a scope, so any member may register it. */
    private static Arena arenaOf(MemorySegment segment, Arena member) {
        assertThat(segment.scope()).isEqualTo(member.scope());
        return member;
    }
}
