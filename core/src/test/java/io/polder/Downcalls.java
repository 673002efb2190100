package io.polder;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/** A few functions of the C library. */
@SuppressWarnings("restricted")
final class Downcalls {
    static final StructLayout DIVISION =
            MemoryLayout.structLayout(
                    ValueLayout.JAVA_LONG.withName("quotient"),
                    ValueLayout.JAVA_LONG.withName("remainder"));

    private static final Linker LINKER = Linker.nativeLinker();
    private static final MethodHandle STRLEN =
            handle("strlen", FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.ADDRESS));
    private static final MethodHandle LLDIV =
            handle(
                    "lldiv",
                    FunctionDescriptor.of(DIVISION, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG));
    private static final MethodHandle QSORT =
            handle(
                    "qsort",
                    FunctionDescriptor.ofVoid(
                            ValueLayout.ADDRESS,
                            ValueLayout.JAVA_LONG,
                            ValueLayout.JAVA_LONG,
                            ValueLayout.ADDRESS));
    private static final FunctionDescriptor COMPARE =
            FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS);

    private Downcalls() {}

    /** What runs inside {@link #sort}; it must not throw, or the JVM ends. */
    @FunctionalInterface
    interface Comparison {
        int compare(MemorySegment left, MemorySegment right);
    }

    static long stringLength(MemorySegment text) {
        try {
            return (long) STRLEN.invokeExact(text);
        } catch (Throwable impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** Returns a struct, allocated by the allocator given. */
    static MemorySegment divide(SegmentAllocator allocator, long dividend, long divisor) {
        try {
            return (MemorySegment) LLDIV.invokeExact(allocator, dividend, divisor);
        } catch (Throwable impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** Sorts ints; the comparison is an upcall, during which a downcall holds the arena. */
    static void sort(MemorySegment ints, Comparison comparison) {
        try (Arena stubs = Arena.ofConfined()) {
            MethodHandle target =
                    MethodHandles.lookup()
                            .findVirtual(
                                    Comparison.class,
                                    "compare",
                                    MethodType.methodType(
                                            int.class, MemorySegment.class, MemorySegment.class))
                            .bindTo(comparison);
            MemorySegment stub = LINKER.upcallStub(target, COMPARE, stubs);
            QSORT.invokeExact(ints, ints.byteSize() / Integer.BYTES, (long) Integer.BYTES, stub);
        } catch (Throwable impossible) {
            throw new AssertionError(impossible);
        }
    }

    static int compareInts(MemorySegment left, MemorySegment right) {
        return Integer.compare(
                left.reinterpret(Integer.BYTES).get(ValueLayout.JAVA_INT, 0),
                right.reinterpret(Integer.BYTES).get(ValueLayout.JAVA_INT, 0));
    }

    private static MethodHandle handle(String name, FunctionDescriptor descriptor) {
        return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(name), descriptor);
    }
}
