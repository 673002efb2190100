package io.polder.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import org.junit.jupiter.api.Test;

import java.lang.foreign.MemorySegment;

class CallocArenaTest {
    @Test
    void allocate_returnsZeroedAlignedMemoryOfTheArena() {
        try (CallocArena arena = new CallocArena()) {
            MemorySegment segment = arena.allocate(100, 16);

            assertThat(segment.byteSize()).isEqualTo(100);
            assertThat(segment.address() % 16).isZero();
            assertThat(segment.scope()).isEqualTo(arena.scope());
            assertThat(segment.toArray(JAVA_BYTE)).containsOnly(0);
        }
    }

    @Test
    void allocate_refusesAlignmentsThatCallocDoesNotPromise() {
        try (CallocArena arena = new CallocArena()) {
            assertThatThrownBy(() -> arena.allocate(8, 32))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("byteAlignment=32");
        }
    }

    @Test
    void close_endsTheSegments() {
        CallocArena arena = new CallocArena();
        MemorySegment segment = arena.allocate(8, 8);
        arena.close();

        assertThat(segment.scope().isAlive()).isFalse();
        assertThatThrownBy(() -> segment.get(JAVA_BYTE, 0))
                .isInstanceOf(IllegalStateException.class);
    }
}
