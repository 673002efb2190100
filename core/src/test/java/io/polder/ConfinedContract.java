package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.arena.OtherThread;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Only the thread that opened the arena may use it; any other thread that tries changes nothing.
 */
interface ConfinedContract extends ArenaUnderTest {
    @Test
    default void use_byAnotherThread_throwsAndTheOwnerGoesOn() {
        Arena arena = open();
        MemorySegment segment = arena.allocate(40, 8);
        Paint.paint(segment, 7);
        Map<String, ThrowingCallable> calls = new LinkedHashMap<>();
        calls.put("get", () -> segment.get(ValueLayout.JAVA_BYTE, 0));
        calls.put("set", () -> segment.set(ValueLayout.JAVA_BYTE, 0, (byte) 0));
        calls.put("fill", () -> segment.fill((byte) 0));
        calls.put("copy", () -> segment.asSlice(0, 8).copyFrom(segment.asSlice(8, 8)));
        calls.put("array", () -> segment.toArray(ValueLayout.JAVA_BYTE));
        calls.put("buffer", () -> segment.asByteBuffer().put(0, (byte) 0));
        calls.put("allocate", () -> arena.allocate(8));
        calls.put("allocate nothing", () -> arena.allocate(0));
        calls.put("allocate more than a slab", () -> arena.allocate(slabBytes() + 1));
        calls.put("allocate a string", () -> arena.allocateFrom("polder"));
        calls.put("close", arena::close);
        assertAllRefused(calls);
        assertThat(Paint.isPainted(segment, 7)).isTrue();
        assertThat(arena.allocate(8).address()).isNotEqualTo(segment.address());
        arena.close();
        assertSlabCameBack(segment);
    }

    @Test
    default void use_ofAnEmptyArenaByAnotherThread_throwsAndTheOwnerGoesOn() {
        Arena arena = open();
        Map<String, ThrowingCallable> calls = new LinkedHashMap<>();
        calls.put("allocate", () -> arena.allocate(8));
        calls.put("allocate more than a slab", () -> arena.allocate(slabBytes() + 1));
        calls.put("close", arena::close);
        assertAllRefused(calls);
        assertThat(arena.scope().isAlive()).isTrue();
        MemorySegment segment = arena.allocate(8);
        Paint.paint(segment, 8);
        assertAllRefused(calls);
        assertThat(Paint.isPainted(segment, 8)).isTrue();
        arena.close();
        assertSlabCameBack(segment);
    }

    @Test
    default void use_ofAClosedArenaByAnotherThread_throws() {
        Arena arena = open();
        MemorySegment segment = arena.allocate(8);
        arena.close();
        Arena next = open();
        MemorySegment reused = next.allocate(8);
        Paint.paint(reused, 2);
        for (ThrowingCallable call :
                new ThrowingCallable[] {
                    arena::close,
                    () -> arena.allocate(8),
                    () -> segment.set(ValueLayout.JAVA_BYTE, 0, (byte) 0)
                }) {
            assertThat(OtherThread.thrownOnPlatform(call))
                    .isInstanceOfAny(IllegalStateException.class, WrongThreadException.class);
        }
        assertThat(Paint.isPainted(reused, 2)).isTrue();
        next.close();
    }

    @Test
    default void isAccessibleBy_otherThreads_isFalse() {
        try (Arena arena = open()) {
            MemorySegment segment = arena.allocate(8);
            Thread owner = Thread.currentThread();
            assertThat(segment.isAccessibleBy(owner)).isTrue();
            assertThat(segment.isAccessibleBy(new Thread(() -> {}))).isFalse();
            assertThat(OtherThread.platform(() -> segment.isAccessibleBy(owner))).isTrue();
        }
    }

    @Test
    default void close_byACleanerThread_throwsAndLosesNothing() {
        Arena arena = open();
        MemorySegment segment = arena.allocate(8);
        Paint.paint(segment, 3);
        for (int i = 0; i < 10; i++) {
            assertThat(OtherThread.thrownOnPlatform(arena::close))
                    .isInstanceOf(WrongThreadException.class);
        }
        assertThat(Paint.isPainted(segment, 3)).isTrue();
        arena.close();
        assertSlabCameBack(segment);
    }

    private static void assertAllRefused(Map<String, ThrowingCallable> calls) {
        calls.forEach(
                (name, call) -> {
                    assertThat(OtherThread.thrownOnPlatform(call))
                            .describedAs(name)
                            .isInstanceOf(WrongThreadException.class)
                            .hasMessageContaining("owning thread");
                    assertThat(OtherThread.thrownOnVirtual(call))
                            .describedAs(name)
                            .isInstanceOf(WrongThreadException.class)
                            .hasMessageContaining("owning thread");
                });
    }

    private void assertSlabCameBack(MemorySegment closed) {
        try (Arena next = open()) {
            MemorySegment segment = next.allocate(closed.byteSize());
            assertThat(Paint.isZero(segment)).isTrue();
            if (slabBytes() > 0) {
                assertThat(segment.address()).isEqualTo(closed.address());
            }
        }
    }
}
