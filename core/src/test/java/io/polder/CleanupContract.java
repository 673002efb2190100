package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.arena.OtherThread;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

/** Actions that run when an arena closes, before anybody else can get its memory. */
@SuppressWarnings("restricted") // the only way to register an action
interface CleanupContract extends ArenaUnderTest {
    @Test
    default void close_withAction_showsItTheBytesOfTheSlab() {
        for (long size = 1; size <= slabBytes(); size *= 2) {
            List<Boolean> seen = new ArrayList<>();
            try (Arena arena = open()) {
                MemorySegment segment = arena.allocate(size);
                Paint.paint(segment, 3);
                on(arena, segment, bytes -> seen.add(Paint.isPainted(bytes, 3)));
                on(arena, segment, bytes -> seen.add(Paint.isPainted(bytes, 3)));
            }
            assertThat(seen).containsExactly(true, true);
        }
    }

    @Test
    default void close_withActions_runsEachOnce() {
        List<Integer> ran = new ArrayList<>();
        try (Arena arena = open()) {
            on(arena, MemorySegment.NULL, bytes -> ran.add(1)); // before the first allocation
            MemorySegment segment = arena.allocate(8);
            on(arena, segment, bytes -> ran.add(2));
            on(arena, arena.allocate(slabBytes() + 1), bytes -> ran.add(3));
        }
        assertThat(ran).containsExactlyInAnyOrder(1, 2, 3);
    }

    @Test
    default void close_actionThrows_rethrowsAndClosesAllTheSame() {
        List<Integer> ran = new ArrayList<>();
        Arena arena = open();
        MemorySegment segment = arena.allocate(100);
        segment.fill((byte) 0xFF);
        on(arena, segment, bytes -> ran.add(1));
        on(arena, segment, bytes -> fail("first"));
        on(arena, segment, bytes -> fail("second"));
        on(arena, segment, bytes -> ran.add(2));
        Throwable thrown = Objects.requireNonNull(OtherThread.thrownBy(arena::close));
        List<String> messages = new ArrayList<>();
        messages.add(String.valueOf(thrown.getMessage()));
        for (Throwable suppressed : thrown.getSuppressed()) {
            messages.add(String.valueOf(suppressed.getMessage()));
        }
        assertThat(thrown).isInstanceOf(IllegalArgumentException.class);
        assertThat(messages).containsExactlyInAnyOrder("first", "second");
        assertThat(ran).containsExactlyInAnyOrder(1, 2);
        assertClosed(arena);
        assertReused(segment);
    }

    @Test
    default void close_actionThrowsAnError_rethrowsAndClosesAllTheSame() {
        Arena arena = open();
        MemorySegment segment = arena.allocate(100);
        on(
                arena,
                segment,
                bytes -> {
                    throw new StackOverflowError("thrown by an action");
                });
        assertThat(OtherThread.thrownBy(arena::close)).isInstanceOf(StackOverflowError.class);
        assertClosed(arena);
        assertReused(segment);
    }

    @Test
    default void close_actionOfEmptyArenaThrows_rethrows() {
        Arena arena = open();
        on(arena, MemorySegment.NULL, bytes -> fail("empty"));
        assertThat(OtherThread.thrownBy(arena::close)).hasMessage("empty");
        assertClosed(arena);
    }

    @Test
    default void close_byAnAction_throwsThere() {
        List<@Nullable Throwable> thrown = new ArrayList<>();
        List<Boolean> seen = new ArrayList<>();
        Arena arena = open();
        MemorySegment segment = arena.allocate(fitting());
        Paint.paint(segment, 4);
        watch(arena, segment, 4, seen);
        on(arena, segment, bytes -> thrown.add(OtherThread.thrownBy(arena::close)));
        watch(arena, segment, 4, seen);
        arena.close();
        assertThat(thrown).hasSize(1);
        assertThat(thrown.getFirst())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
        assertThat(seen).containsExactly(true, true);
        assertReused(segment);
    }

    @Test
    default void allocate_byAnAction_throwsThere() {
        List<@Nullable Throwable> thrown = new ArrayList<>();
        for (boolean used : new boolean[] {true, false}) {
            Arena arena = open();
            MemorySegment segment = used ? arena.allocate(100) : MemorySegment.NULL;
            on(arena, segment, bytes -> thrown.add(OtherThread.thrownBy(() -> arena.allocate(8))));
            arena.close();
            assertClosed(arena);
        }
        assertThat(thrown)
                .hasSize(2)
                .allSatisfy(
                        each ->
                                assertThat(each)
                                        .isInstanceOf(IllegalStateException.class)
                                        .hasMessageContaining("closed"));
    }

    @Test
    default void open_byAnAction_getsOtherMemory() {
        List<Boolean> seen = new ArrayList<>();
        Arena arena = open();
        MemorySegment segment = arena.allocate(fitting());
        Paint.paint(segment, 6);
        watch(arena, segment, 6, seen);
        on(
                arena,
                segment,
                bytes -> {
                    try (Arena other = open()) {
                        other.allocate(100).fill((byte) 0xFF);
                    }
                });
        watch(arena, segment, 6, seen);
        arena.close();
        assertThat(seen).containsExactly(true, true);
    }

    @Test
    default void reinterpret_ontoAClosedArena_throws() {
        Arena arena = open();
        arena.allocate(8);
        arena.close();
        assertThat(OtherThread.thrownBy(() -> on(arena, MemorySegment.NULL, bytes -> {})))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
    }

    private void assertReused(MemorySegment closed) {
        try (Arena next = open()) {
            MemorySegment segment = next.allocate(closed.byteSize());
            assertThat(Paint.isZero(segment)).isTrue();
            if (closed.byteSize() <= slabBytes()) {
                assertThat(segment.address()).isEqualTo(closed.address());
            }
        }
    }

    private static void assertClosed(Arena arena) {
        assertThat(arena.scope().isAlive()).isFalse();
        assertThat(OtherThread.thrownBy(arena::close))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
    }

    /** A size that fits a slab, where there is one. */
    private long fitting() {
        return slabBytes() == 0 ? 100 : Math.min(100, slabBytes());
    }

    /**
     * Notes whether an action still finds what was written. Only slabs promise that: the JDK may
     * free memory of its own before it runs the other actions.
     */
    private void watch(Arena arena, MemorySegment segment, long seed, List<Boolean> seen) {
        on(arena, segment, bytes -> seen.add(slabBytes() == 0 || Paint.isPainted(bytes, seed)));
    }

    private static void on(Arena arena, MemorySegment segment, Consumer<MemorySegment> action) {
        MemorySegment.ofAddress(segment.address()).reinterpret(segment.byteSize(), arena, action);
    }

    private static void fail(String message) {
        throw new IllegalArgumentException(message);
    }
}
