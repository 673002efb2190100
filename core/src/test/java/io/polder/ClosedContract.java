package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.arena.OtherThread;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/** After the close, everything throws. */
interface ClosedContract extends ArenaUnderTest {
    @Test
    default void anyAccess_afterClose_throws() {
        Arena arena = open();
        MemorySegment segment = arena.allocate(64, 8);
        Map<String, ThrowingCallable> accesses = accesses(segment);
        accesses.forEach((name, access) -> assertThat(OtherThread.thrownBy(access)).isNull());
        arena.close();
        assertAllClosed(accesses);
        assertThat(segment.byteSize()).isEqualTo(64);
        assertThat(segment.scope().isAlive()).isFalse();
        assertThat(arena.scope().isAlive()).isFalse();
    }

    @Test
    default void anyAllocation_afterClose_throws() {
        Arena arena = open();
        Map<String, ThrowingCallable> allocations = allocations(arena);
        allocations.forEach((name, call) -> assertThat(OtherThread.thrownBy(call)).isNull());
        arena.close();
        assertAllClosed(allocations);
        assertAllClosed(Map.of("close", arena::close));
    }

    @Test
    default void anyAllocation_afterEmptyArenaClosed_throws() {
        Arena arena = open();
        arena.close();
        assertAllClosed(allocations(arena));
        assertAllClosed(Map.of("close", arena::close));
    }

    @Test
    default void allocate_beyondTheSlabAfterClose_throws() {
        Arena arena = open();
        arena.allocate(slabBytes() + 1);
        arena.close();
        assertAllClosed(
                Map.of(
                        "beyond", () -> arena.allocate(slabBytes() + 1),
                        "far beyond", () -> arena.allocate(100 * slabBytes() + 1),
                        "aligned beyond", () -> arena.allocate(1, 4 << 20)));
    }

    @Test
    default void close_twice_leavesTheNextArenaAlone() {
        Arena first = open();
        first.allocate(8).fill((byte) 1);
        first.close();
        try (Arena second = open()) {
            MemorySegment segment = second.allocate(8);
            Paint.paint(segment, 5);
            assertAllClosed(Map.of("close", first::close, "allocate", () -> first.allocate(8)));
            try (Arena third = open()) {
                third.allocate(8).fill((byte) 2);
            }
            assertThat(Paint.isPainted(segment, 5)).isTrue();
        }
    }

    private static void assertAllClosed(Map<String, ThrowingCallable> calls) {
        calls.forEach(
                (name, call) ->
                        assertThat(OtherThread.thrownBy(call))
                                .describedAs(name)
                                .isInstanceOf(IllegalStateException.class)
                                .hasMessageContaining("closed"));
    }

    private static Map<String, ThrowingCallable> accesses(MemorySegment segment) {
        MemorySegment other = MemorySegment.ofArray(new byte[64]);
        MemorySegment slice = segment.asSlice(8, 8);
        ByteBuffer buffer = segment.asByteBuffer();
        Map<String, ThrowingCallable> calls = new LinkedHashMap<>();
        calls.put("get byte", () -> segment.get(ValueLayout.JAVA_BYTE, 0));
        calls.put("get boolean", () -> segment.get(ValueLayout.JAVA_BOOLEAN, 0));
        calls.put("get char", () -> segment.get(ValueLayout.JAVA_CHAR, 0));
        calls.put("get short", () -> segment.get(ValueLayout.JAVA_SHORT, 0));
        calls.put("get int", () -> segment.get(ValueLayout.JAVA_INT, 0));
        calls.put("get long", () -> segment.get(ValueLayout.JAVA_LONG, 0));
        calls.put("get float", () -> segment.get(ValueLayout.JAVA_FLOAT, 0));
        calls.put("get double", () -> segment.get(ValueLayout.JAVA_DOUBLE, 0));
        calls.put("get address", () -> segment.get(ValueLayout.ADDRESS, 0));
        calls.put("set byte", () -> segment.set(ValueLayout.JAVA_BYTE, 0, (byte) 0));
        calls.put("set long", () -> segment.set(ValueLayout.JAVA_LONG, 0, 0L));
        calls.put("get int at", () -> segment.getAtIndex(ValueLayout.JAVA_INT, 3));
        calls.put("set int at", () -> segment.setAtIndex(ValueLayout.JAVA_INT, 3, 0));
        calls.put("get string", () -> segment.getString(0));
        calls.put("set string", () -> segment.setString(0, ""));
        calls.put("fill", () -> segment.fill((byte) 0));
        calls.put("copy from", () -> segment.copyFrom(other));
        calls.put("copy to", () -> other.copyFrom(segment));
        calls.put("copy", () -> MemorySegment.copy(segment, 0, other, 0, 8));
        calls.put(
                "copy to array",
                () -> MemorySegment.copy(segment, ValueLayout.JAVA_INT, 0, new int[4], 0, 4));
        calls.put(
                "copy from array",
                () -> MemorySegment.copy(new int[4], 0, segment, ValueLayout.JAVA_INT, 0, 4));
        calls.put("bytes", () -> segment.toArray(ValueLayout.JAVA_BYTE));
        calls.put("longs", () -> segment.toArray(ValueLayout.JAVA_LONG));
        calls.put("buffer get", () -> buffer.get(0));
        calls.put("buffer put", () -> buffer.put(0, (byte) 0));
        calls.put("mismatch", () -> segment.mismatch(other));
        calls.put("mismatch of another", () -> other.mismatch(segment));
        calls.put("slice get", () -> slice.get(ValueLayout.JAVA_BYTE, 0));
        calls.put("read-only get", () -> segment.asReadOnly().get(ValueLayout.JAVA_BYTE, 0));
        calls.put(
                "elements",
                () ->
                        segment.elements(ValueLayout.JAVA_INT)
                                .forEach(element -> element.get(ValueLayout.JAVA_INT, 0)));
        calls.put("var handle", () -> ValueLayout.JAVA_INT.varHandle().getVolatile(segment, 0L));
        return calls;
    }

    private static Map<String, ThrowingCallable> allocations(Arena arena) {
        MemorySegment source = MemorySegment.ofArray(new byte[16]);
        Map<String, ThrowingCallable> calls = new LinkedHashMap<>();
        calls.put("size", () -> arena.allocate(8));
        calls.put("nothing", () -> arena.allocate(0));
        calls.put("size, alignment", () -> arena.allocate(8, 8));
        calls.put("layout", () -> arena.allocate(ValueLayout.JAVA_LONG));
        calls.put("layout, count", () -> arena.allocate(ValueLayout.JAVA_LONG, 3));
        calls.put("struct", () -> arena.allocate(MemoryLayout.structLayout(ValueLayout.JAVA_LONG)));
        calls.put("string", () -> arena.allocateFrom("polder"));
        calls.put("string, charset", () -> arena.allocateFrom("ij", StandardCharsets.UTF_16LE));
        calls.put("byte", () -> arena.allocateFrom(ValueLayout.JAVA_BYTE, (byte) 1));
        calls.put("char", () -> arena.allocateFrom(ValueLayout.JAVA_CHAR, 'a'));
        calls.put("short", () -> arena.allocateFrom(ValueLayout.JAVA_SHORT, (short) 1));
        calls.put("int", () -> arena.allocateFrom(ValueLayout.JAVA_INT, 1));
        calls.put("long", () -> arena.allocateFrom(ValueLayout.JAVA_LONG, 1L));
        calls.put("float", () -> arena.allocateFrom(ValueLayout.JAVA_FLOAT, 1f));
        calls.put("double", () -> arena.allocateFrom(ValueLayout.JAVA_DOUBLE, 1d));
        calls.put("address", () -> arena.allocateFrom(ValueLayout.ADDRESS, MemorySegment.NULL));
        calls.put("bytes", () -> arena.allocateFrom(ValueLayout.JAVA_BYTE, new byte[3]));
        calls.put("chars", () -> arena.allocateFrom(ValueLayout.JAVA_CHAR, new char[3]));
        calls.put("shorts", () -> arena.allocateFrom(ValueLayout.JAVA_SHORT, new short[3]));
        calls.put("ints", () -> arena.allocateFrom(ValueLayout.JAVA_INT, new int[3]));
        calls.put("longs", () -> arena.allocateFrom(ValueLayout.JAVA_LONG, new long[3]));
        calls.put("floats", () -> arena.allocateFrom(ValueLayout.JAVA_FLOAT, new float[3]));
        calls.put("doubles", () -> arena.allocateFrom(ValueLayout.JAVA_DOUBLE, new double[3]));
        calls.put(
                "segment",
                () ->
                        arena.allocateFrom(
                                ValueLayout.JAVA_BYTE, source, ValueLayout.JAVA_BYTE, 0, 16));
        return calls;
    }
}
