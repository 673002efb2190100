package io.polder.arena.recycling;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.Paint;

import org.junit.jupiter.api.AfterEach;

import java.lang.foreign.MemorySegment;

/** Fixture: a recycler over an arena that counts; the invariants are checked after each test. */
class RecyclerFixture {
    static final long MIB = 1 << 20;

    final BumpArena arena = new BumpArena(16 * MIB);
    final Recycler recycler = new Recycler(arena, true);

    @AfterEach
    void verifyAndClose() {
        verify();
        arena.close();
    }

    final void verify() {
        recycler.verify();
        assertThat(recycler.allocatedBytes() + recycler.freeBytes())
                .describedAs("allocated + free == what the arena handed out")
                .isEqualTo(arena.handedOutBytes());
    }

    /** Allocates, checks what every allocation must be, and paints it. */
    final MemorySegment allocate(long byteSize, long byteAlignment) {
        MemorySegment segment = recycler.allocate(byteSize, byteAlignment);
        assertThat(segment.byteSize()).isEqualTo(byteSize);
        assertThat(segment.address() % byteAlignment).isZero();
        assertThat(segment.address() % BlockTable.GRAIN_BYTES).isZero();
        assertThat(segment.scope()).isEqualTo(arena.scope());
        assertThat(segment.isReadOnly()).isFalse();
        for (long at = 0; at < byteSize; at += MIB) {
            assertThat(Paint.isZero(segment.asSlice(at, Math.min(MIB, byteSize - at)))).isTrue();
        }
        segment.fill((byte) 0x5A);
        return segment;
    }

    final MemorySegment allocate(long byteSize) {
        return allocate(byteSize, 1);
    }
}
