package io.polder.arena.recycling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.polder.Paint;
import io.polder.arena.OtherThread;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** What must be refused, and that nothing has changed then. */
class RecyclerMisuseTest extends RecyclerFixture {
    private final MemorySegment first = recycler.allocate(40, 1);
    private final MemorySegment second = recycler.allocate(100, 1);

    @BeforeEach
    void paint() {
        Paint.paint(first, 1);
        Paint.paint(second, 2);
    }

    @AfterEach
    void checkThatNothingChanged() {
        if (arena.scope().isAlive()) {
            assertThat(Paint.isPainted(first, 1)).isTrue();
            assertThat(Paint.isPainted(second, 2)).isTrue();
            assertThat(recycler.allocatedBytes()).isEqualTo(48 + 112);
            assertThat(recycler.allocatedCount()).isEqualTo(2);
        }
    }

    @Override
    @AfterEach
    void verifyAndClose() {
        if (arena.scope().isAlive()) {
            super.verifyAndClose();
        }
    }

    @Test
    void free_segmentOfAnotherArena_isRefused() {
        try (Arena other = Arena.ofConfined()) {
            MemorySegment foreign = other.allocate(40);
            assertRefused(
                    foreign, "a segment must come from the arena that frees it: segment=Memory");
        }
        assertRefused(Arena.ofAuto().allocate(40), "a segment must come from the arena");
        assertRefused(MemorySegment.ofArray(new byte[40]), "a segment must come from the arena");
        assertRefused(MemorySegment.NULL, "a segment must come from the arena");
    }

    @Test
    void free_segmentOfTheSameAddressWithoutTheLifetime_isRefused() {
        assertRefused(
                MemorySegment.ofAddress(first.address()), "a segment must come from the arena");
    }

    @Test
    void free_segmentThatTheArenaBehindAllocated_isRefused() {
        try (Arena behind = Arena.ofConfined()) {
            MemorySegment notOurs = behind.allocate(32, 16);
            Recycler other = new Recycler(behind, true);
            assertThatExceptionOfType(IllegalArgumentException.class)
                    .isThrownBy(() -> other.free(notOurs))
                    .withMessage(
                            "a segment must be allocated by the arena that frees it, and not freed"
                                    + " before: address=0x%x, byteSize=32",
                            notOurs.address());
            other.verify();
        }
    }

    @Test
    void free_partOfASegment_isRefused() {
        String rule = "a segment must be freed as it was allocated: address=0x";
        assertRefused(first.asSlice(16), rule + Long.toHexString(first.address() + 16));
        assertRefused(first.asSlice(3, 8), rule);
        assertRefused(first.asSlice(0, 39), rule);
        assertRefused(first.asSlice(0, 0), rule);
        assertRefused(first.asSlice(0, 32), ", byteSize=32, allocatedAddress=0x");
        assertRefused(first.asSlice(0, 32), ", allocatedByteSize=40");
    }

    @Test
    void free_slicedFromTheEndOfTheSpaceTaken_isRefused() {
        assertRefused(first.asSlice(40), "a segment must be freed as it was allocated");
    }

    @Test
    @SuppressWarnings("restricted")
    void free_moreThanWasAllocated_isRefused() {
        assertRefused(first.reinterpret(48, arena, null), "byteSize=48, allocatedAddress=0x");
    }

    @Test
    void free_viewOfTheWhole_isTheSameSegment() {
        MemorySegment third = recycler.allocate(64, 1);
        recycler.free(third.asReadOnly());
        recycler.free(recycler.allocate(64, 1).asSlice(0, 64));
    }

    @Test
    void free_twice_isRefused() {
        MemorySegment recent = recycler.allocate(64, 1);
        recycler.free(recent);
        assertRefused(recent, "a segment must not be freed twice: address=0x");
        MemorySegment merged = recycler.allocate(200, 1);
        recycler.free(merged);
        recycler.free(recycler.allocate(300, 1));
        assertRefused(recent, "a segment must not be freed twice: address=0x");
        assertRefused(merged, "a segment must not be freed twice: address=0x");
    }

    @Test
    void free_again_afterTheMemoryWasUsedAtAnotherSize_isRefused() {
        MemorySegment stale = recycler.allocate(64, 1);
        recycler.free(stale);
        MemorySegment fresh = recycler.allocate(50, 1);
        assertThat(fresh.address()).isEqualTo(stale.address());
        assertRefused(stale, "a segment must be freed as it was allocated: address=0x");
        recycler.free(fresh);
    }

    @Test
    @SuppressWarnings("NullAway") // what a caller without a checker may pass
    void free_null_isRefused() {
        assertThatNullPointerException().isThrownBy(() -> recycler.free(null));
    }

    private List<ThrowingCallable> anything() {
        return List.of(
                () -> recycler.free(first),
                () -> recycler.allocate(8, 1),
                recycler::allocatedBytes,
                recycler::allocatedCount,
                recycler::freeBytes);
    }

    @Test
    void anything_inAnotherThread_isRefused() {
        for (ThrowingCallable call : anything()) {
            assertThat(OtherThread.thrownOnPlatform(call))
                    .isInstanceOf(WrongThreadException.class)
                    .hasMessage("Attempted access outside owning thread");
            assertThat(OtherThread.thrownOnVirtual(call)).isInstanceOf(WrongThreadException.class);
        }
    }

    @Test
    void anything_afterClose_isRefused() {
        arena.close();
        for (ThrowingCallable call : anything()) {
            assertThatExceptionOfType(IllegalStateException.class)
                    .isThrownBy(call)
                    .withMessage("Already closed");
        }
    }

    @Test
    void allocate_badArguments_isRefused() {
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> recycler.allocate(-1, 1))
                .withMessage("The provided allocation size is negative: -1");
        for (long alignment : new long[] {0, -1, 3, 24, Long.MIN_VALUE}) {
            assertThatExceptionOfType(IllegalArgumentException.class)
                    .isThrownBy(() -> recycler.allocate(8, alignment))
                    .withMessage("Invalid alignment constraint : " + alignment);
        }
    }

    private void assertRefused(MemorySegment segment, String message) {
        long free = recycler.freeBytes();
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> recycler.free(segment))
                .withMessageContaining(message);
        verify();
        assertThat(recycler.freeBytes()).isEqualTo(free);
    }
}
