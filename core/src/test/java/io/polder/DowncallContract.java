package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.arena.OtherThread;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/** Native code gets the memory, and while it does, the arena cannot be closed. */
interface DowncallContract extends ArenaUnderTest {
    @Test
    default void close_duringADowncall_throwsAndReleasesNothing() {
        List<@Nullable Throwable> thrown = new ArrayList<>();
        Arena arena = open();
        MemorySegment ints = arena.allocateFrom(ValueLayout.JAVA_INT, 3, 1, 2);
        Downcalls.sort(
                ints,
                (left, right) -> {
                    thrown.add(OtherThread.thrownBy(arena::close));
                    return Downcalls.compareInts(left, right);
                });
        assertThat(thrown)
                .isNotEmpty()
                .allSatisfy(
                        each ->
                                assertThat(each)
                                        .isInstanceOf(IllegalStateException.class)
                                        .hasMessageContaining("acquired"));
        assertThat(arena.scope().isAlive()).isTrue();
        assertThat(ints.toArray(ValueLayout.JAVA_INT)).containsExactly(1, 2, 3);
        assertThat(Paint.isZero(arena.allocate(8))).isTrue();
        arena.close();
        assertThat(arena.scope().isAlive()).isFalse();
        checkUsedAgain(ints);
    }

    /** The next arena mostly gets the same memory, unless a tick of the pool has just had it. */
    private void checkUsedAgain(MemorySegment before) {
        boolean pooled = before.byteSize() <= slabBytes();
        List<Arena> next = new ArrayList<>();
        boolean again = false;
        while (!again && next.size() < (pooled ? 100 : 1)) {
            Arena arena = open();
            next.add(arena);
            MemorySegment segment = arena.allocate(before.byteSize());
            assertThat(Paint.isZero(segment)).isTrue();
            again = segment.address() == before.address();
        }
        next.forEach(Arena::close);
        assertThat(again || !pooled).isTrue();
    }

    @Test
    @SuppressWarnings("restricted") // how a cleanup action is registered
    default void close_actionThrowsAnErrorAfterACloseThatFailed_slabIsNotLost() {
        Arena arena = open();
        MemorySegment ints = arena.allocateFrom(ValueLayout.JAVA_INT, 3, 1, 2);
        Downcalls.sort(
                ints,
                (left, right) -> {
                    assertThat(OtherThread.thrownBy(arena::close)).isNotNull();
                    return Downcalls.compareInts(left, right);
                });
        MemorySegment.NULL.reinterpret(
                0,
                arena,
                bytes -> {
                    throw new StackOverflowError("thrown by an action");
                });
        assertThat(OtherThread.thrownBy(arena::close)).isInstanceOf(StackOverflowError.class);
        checkUsedAgain(ints);
    }

    @Test
    default void allocate_duringADowncall_works() {
        try (Arena arena = open()) {
            MemorySegment ints = arena.allocateFrom(ValueLayout.JAVA_INT, 5, 4, 3, 2, 1);
            List<MemorySegment> allocated = new ArrayList<>();
            Downcalls.sort(
                    ints,
                    (left, right) -> {
                        MemorySegment segment = arena.allocate(24);
                        Paint.paint(segment, allocated.size());
                        allocated.add(segment);
                        return Downcalls.compareInts(left, right);
                    });
            assertThat(ints.toArray(ValueLayout.JAVA_INT)).containsExactly(1, 2, 3, 4, 5);
            for (int i = 0; i < allocated.size(); i++) {
                assertThat(Paint.isPainted(allocated.get(i), i)).isTrue();
            }
        }
    }

    @Test
    default void open_insideAnUpcall_works() {
        try (Arena arena = open()) {
            MemorySegment ints = arena.allocateFrom(ValueLayout.JAVA_INT, 5, 4, 3, 2, 1);
            Downcalls.sort(
                    ints,
                    (left, right) -> {
                        try (Arena inner = open()) {
                            inner.allocate(100).fill((byte) 0xFF);
                        }
                        return Downcalls.compareInts(left, right);
                    });
            assertThat(ints.toArray(ValueLayout.JAVA_INT)).containsExactly(1, 2, 3, 4, 5);
        }
    }

    @Test
    default void downcall_afterClose_throws() {
        Arena arena = open();
        MemorySegment text = arena.allocateFrom("polder");
        assertThat(Downcalls.stringLength(text)).isEqualTo(6);
        arena.close();
        assertThat(OtherThread.thrownBy(() -> Downcalls.stringLength(text)))
                .hasCauseInstanceOf(IllegalStateException.class);
    }

    @Test
    default void downcall_returningAStruct_allocatesItInTheArena() {
        try (Arena arena = open()) {
            MemorySegment before = arena.allocateFrom("before");
            MemorySegment result = Downcalls.divide(arena, 1234, 100);
            MemorySegment after = arena.allocateFrom("after");
            assertThat(result.scope()).isEqualTo(arena.scope());
            assertThat(result.byteSize()).isEqualTo(Downcalls.DIVISION.byteSize());
            assertThat(result.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(12);
            assertThat(result.get(ValueLayout.JAVA_LONG, 8)).isEqualTo(34);
            assertThat(before.getString(0)).isEqualTo("before");
            assertThat(after.getString(0)).isEqualTo("after");
        }
    }
}
