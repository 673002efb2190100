package io.polder;

import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.polder.heap.RelocatingHeap;
import io.polder.page.Page;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

import java.lang.foreign.MemorySegment;
import java.util.Map;

/** Where null is refused, the message says what was null. */
@EnabledOnOs(OS.LINUX)
@SuppressWarnings({"NullAway", "DataFlowIssue"}) // the point
class NullArgumentsTest {
    private static void assertNamed(Map<String, ThrowingCallable> calls, String... names) {
        calls.forEach(
                (call, made) ->
                        assertThatNullPointerException()
                                .as(call)
                                .isThrownBy(made)
                                .withMessageMatching(
                                        ".*\\b(" + String.join("|", names) + ")\\b.*"));
    }

    @Test
    void pages_null_isNamed() {
        try (MemoryPool pool = MemoryPool.builder().build();
                Page page = pool.pages().allocate(1)) {
            assertNamed(
                    Map.of(
                            "segment", () -> page.segment(null),
                            "allocate", () -> pool.pages().allocate(1, null)),
                    "arena",
                    "timeout");
        }
    }

    @Test
    void blocks_null_isNamed() {
        try (MemoryPool pool = MemoryPool.builder().build();
                FreeingArena arena = pool.openFreeing()) {
            assertNamed(
                    Map.of(
                            "free", () -> pool.blocks().free(null),
                            "reallocate", () -> pool.blocks().reallocate(null, 1),
                            "free of an arena", () -> arena.free(null)),
                    "segment");
        }
    }

    /** Nothing is in the heap: what is refused does not depend on that. */
    @Test
    void heap_null_isNamed() {
        try (MemoryPool pool = MemoryPool.builder().build();
                RelocatingHeap heap = pool.openHeap()) {
            MemorySegment none = MemorySegment.NULL;
            assertNamed(
                    Map.of(
                            "forEach", () -> heap.forEach(null),
                            "allocateAll", () -> heap.allocateAll(1, null),
                            "freeAll", () -> heap.freeAll(null),
                            "nextOldest", () -> heap.nextOldest(0, null),
                            "getAll", () -> heap.getAll(null, 0, 0, none)),
                    "handles");
            assertNamed(
                    Map.of(
                            "allocate", () -> heap.allocate((MemorySegment) null),
                            "tryAllocate", () -> heap.tryAllocate(null),
                            "getAll", () -> heap.getAll(new long[0], 0, 8, null),
                            "contentHash", () -> RelocatingHeap.contentHash(null),
                            "session", () -> heap.session(null)),
                    "content",
                    "destination",
                    "segment",
                    "function");
        }
    }
}
