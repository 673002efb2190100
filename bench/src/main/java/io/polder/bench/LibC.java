package io.polder.bench;

import static java.lang.foreign.MemoryLayout.PathElement.groupElement;
import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.AddressLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/**
 * Four functions of the C library, bound the way jextract binds them: plain downcalls that take
 * segments, a struct passed by pointer, a Java method as a callback.
 */
@SuppressWarnings("restricted")
final class LibC {
    /** {@code struct timespec} on 64-bit Linux and macOS. */
    static final StructLayout TIMESPEC =
            MemoryLayout.structLayout(JAVA_LONG.withName("tv_sec"), JAVA_LONG.withName("tv_nsec"));

    private static final long TV_SEC = TIMESPEC.byteOffset(groupElement("tv_sec"));
    private static final long TV_NSEC = TIMESPEC.byteOffset(groupElement("tv_nsec"));

    /** {@code CLOCK_REALTIME}, 0 on Linux and macOS alike. */
    private static final int CLOCK_REALTIME = 0;

    /** {@code char*} whose length is not known until the terminator is found. */
    private static final AddressLayout C_STRING =
            ADDRESS.withTargetLayout(MemoryLayout.sequenceLayout(Long.MAX_VALUE, JAVA_BYTE));

    private static final AddressLayout C_INT_POINTER = ADDRESS.withTargetLayout(JAVA_INT);

    private static final MethodHandle STRLEN =
            bind("strlen", FunctionDescriptor.of(JAVA_LONG, ADDRESS));
    private static final MethodHandle GETENV =
            bind("getenv", FunctionDescriptor.of(C_STRING, ADDRESS));
    private static final MethodHandle CLOCK_GETTIME =
            bind("clock_gettime", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS));
    private static final MethodHandle QSORT =
            bind("qsort", FunctionDescriptor.ofVoid(ADDRESS, JAVA_LONG, JAVA_LONG, ADDRESS));

    /** Orders ints upwards; made once, as a program that sorts more than once would. */
    private static final MemorySegment INT_ORDER = intOrder();

    private LibC() {}

    /** Length of a C string in bytes. */
    static long strlen(MemorySegment text) {
        try {
            return (long) STRLEN.invokeExact(text);
        } catch (Throwable e) {
            throw new AssertionError("strlen does not throw", e);
        }
    }

    /** Value of an environment variable, or the empty string. */
    static String getenv(MemorySegment name) {
        try {
            MemorySegment value = (MemorySegment) GETENV.invokeExact(name);
            return value.address() == 0 ? "" : value.getString(0);
        } catch (Throwable e) {
            throw new AssertionError("getenv does not throw", e);
        }
    }

    /** Wall-clock time in nanoseconds; {@code timespec} receives it. */
    static long clockGettime(MemorySegment timespec) {
        try {
            int result = (int) CLOCK_GETTIME.invokeExact(CLOCK_REALTIME, timespec);
            if (result != 0) {
                throw new IllegalStateException("clock_gettime failed: result=" + result);
            }
        } catch (Throwable e) {
            throw new AssertionError("clock_gettime does not throw", e);
        }
        return timespec.get(JAVA_LONG, TV_SEC) * 1_000_000_000L + timespec.get(JAVA_LONG, TV_NSEC);
    }

    /** Sorts {@code count} ints upwards in place. */
    static void qsort(MemorySegment ints, long count) {
        try {
            QSORT.invokeExact(ints, count, JAVA_INT.byteSize(), INT_ORDER);
        } catch (Throwable e) {
            throw new AssertionError("qsort does not throw", e);
        }
    }

    /** The callback of {@link #qsort}. */
    static int compareInts(MemorySegment left, MemorySegment right) {
        return Integer.compare(left.get(JAVA_INT, 0), right.get(JAVA_INT, 0));
    }

    private static MethodHandle bind(String name, FunctionDescriptor function) {
        Linker linker = Linker.nativeLinker();
        return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), function);
    }

    private static MemorySegment intOrder() {
        try {
            MethodHandle compare =
                    MethodHandles.lookup()
                            .findStatic(
                                    LibC.class,
                                    "compareInts",
                                    MethodType.methodType(
                                            int.class, MemorySegment.class, MemorySegment.class));
            return Linker.nativeLinker()
                    .upcallStub(
                            compare,
                            FunctionDescriptor.of(JAVA_INT, C_INT_POINTER, C_INT_POINTER),
                            Arena.global());
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("compareInts is declared in this class", e);
        }
    }
}
