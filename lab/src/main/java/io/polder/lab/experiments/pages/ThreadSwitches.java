package io.polder.lab.experiments.pages;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * How often the kernel took the processor from the current thread, which it would have gone on
 * using: {@code ru_nivcsw} of {@code getrusage(RUSAGE_THREAD)} on Linux. It tells a take that was
 * slow from one that was interrupted.
 *
 * <p>Not thread-safe: one for each thread.
 */
final class ThreadSwitches {
    private static final int RUSAGE_THREAD = 1;
    private static final long STRUCT_BYTES = 144;

    /** Two times of two words each, then counters, of which this is the last. */
    private static final long INVOLUNTARY_OFFSET = STRUCT_BYTES - Long.BYTES;

    private static final MethodHandle GETRUSAGE = link();

    private final MemorySegment struct = Arena.ofAuto().allocate(STRUCT_BYTES, Long.BYTES);

    /** Asks the kernel; 0 if it does not tell. */
    long involuntary() {
        try {
            int result = (int) GETRUSAGE.invokeExact(RUSAGE_THREAD, struct);
            return result == 0 ? struct.get(ValueLayout.JAVA_LONG, INVOLUNTARY_OFFSET) : 0;
        } catch (Throwable thrown) {
            throw new AssertionError("getrusage throws nothing", thrown);
        }
    }

    @SuppressWarnings("restricted")
    private static MethodHandle link() {
        Linker linker = Linker.nativeLinker();
        return linker.downcallHandle(
                linker.defaultLookup().findOrThrow("getrusage"),
                FunctionDescriptor.of(
                        ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.ADDRESS));
    }
}
