package io.polder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** One scope for each arena, its own also where the memory is an earlier one's. */
interface ScopeContract extends ArenaUnderTest {
    @Test
    default void scope_ofEverySegment_isTheArenas() {
        try (Arena arena = open()) {
            MemorySegment.Scope scope = arena.scope();
            assertThat(arena.allocate(5).scope()).isEqualTo(scope);
            assertThat(arena.allocate(0).scope()).isEqualTo(scope);
            assertThat(arena.allocate(slabBytes() + 1).scope()).isEqualTo(scope);
            assertThat(arena.allocateFrom("text").scope()).isEqualTo(scope);
            assertThat(arena.allocate(5).asSlice(1).scope()).isEqualTo(scope);
            assertThat(arena.scope()).isEqualTo(scope).hasSameHashCodeAs(scope);
            assertThat(scope.isAlive()).isTrue();
        }
    }

    @Test
    default void scope_ofArenasOpenTogether_differs() {
        try (Arena first = open();
                Arena second = open()) {
            assertThat(first.scope()).isNotEqualTo(second.scope());
            assertThat(first.allocate(5).scope()).isNotEqualTo(second.allocate(5).scope());
        }
    }

    @Test
    default void scope_ofArenasWithTheSameMemory_differs() {
        Set<MemorySegment.Scope> scopes = new HashSet<>();
        Set<Long> addresses = new HashSet<>();
        for (int i = 0; i < 100; i++) {
            try (Arena arena = open()) {
                scopes.add(arena.scope());
                addresses.add(arena.allocate(5).address());
            }
        }
        assertThat(scopes).hasSize(100).noneMatch(MemorySegment.Scope::isAlive);
        if (slabBytes() > 0) { // mostly the same; how large arenas begin may change
            assertThat(addresses).hasSizeLessThan(10);
        }
    }

    @Test
    default void access_byClosedSegmentToReusedMemory_throws() {
        List<MemorySegment> closed = new ArrayList<>();
        int reused = 0;
        for (int i = 0; i < 50; i++) {
            try (Arena arena = open()) {
                MemorySegment segment = arena.allocate(8);
                Paint.paint(segment, i);
                for (MemorySegment dead : closed) {
                    assertThatIllegalStateException()
                            .isThrownBy(() -> dead.set(ValueLayout.JAVA_BYTE, 0, (byte) 99))
                            .withMessageContaining("closed");
                    reused += dead.address() == segment.address() ? 1 : 0;
                }
                assertThat(Paint.isPainted(segment, i)).isTrue();
                closed.add(segment);
            }
        }
        if (slabBytes() > 0) {
            assertThat(reused).isGreaterThan(50);
        }
    }
}
