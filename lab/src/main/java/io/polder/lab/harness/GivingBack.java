package io.polder.lab.harness;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * How a program asks the library that malloc comes from to give free memory back to the system. It
 * has to know the library: there is no common call.
 */
public final class GivingBack {
    /** All arenas, in names of jemalloc's controls ({@code MALLCTL_ARENAS_ALL}). */
    private static final int ALL_ARENAS = 4096;

    private GivingBack() {}

    /**
     * Asks the library; called by the thread whose memory it is.
     *
     * @param library where malloc comes from in this process
     */
    public static void by(MallocLibrary library) {
        switch (library) {
            case GLIBC -> trim();
            case JEMALLOC -> purge();
            case MIMALLOC -> collect();
            case TCMALLOC -> release();
        }
    }

    /** All that is free in any heap, except what threads keep for themselves. */
    private static void trim() {
        call("malloc_trim", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG), 0L);
    }

    /** All that is free, after this thread has handed in what it keeps for itself. */
    private static void purge() {
        control("thread.tcache.flush");
        control("arena." + ALL_ARENAS + ".purge");
    }

    private static void control(String name) {
        try (Arena arena = Arena.ofConfined()) {
            call(
                    "mallctl",
                    FunctionDescriptor.of(
                            ValueLayout.JAVA_INT,
                            ValueLayout.ADDRESS,
                            ValueLayout.ADDRESS,
                            ValueLayout.ADDRESS,
                            ValueLayout.ADDRESS,
                            ValueLayout.JAVA_LONG),
                    arena.allocateFrom(name),
                    MemorySegment.NULL,
                    MemorySegment.NULL,
                    MemorySegment.NULL,
                    0L);
        }
    }

    /** All that is free in the heap of this thread. */
    private static void collect() {
        call("mi_collect", FunctionDescriptor.ofVoid(ValueLayout.JAVA_BOOLEAN), true);
    }

    /** Free spans; what threads keep for themselves stays. */
    private static void release() {
        call("MallocExtension_ReleaseFreeMemory", FunctionDescriptor.ofVoid());
    }

    private static void call(String name, FunctionDescriptor type, Object... arguments) {
        MethodHandle function =
                Malloc.function(name, type)
                        .orElseThrow(
                                () ->
                                        new IllegalStateException(
                                                "the library of malloc must have this function:"
                                                        + " name="
                                                        + name));
        try {
            Object result = function.invokeWithArguments(arguments);
            if (name.equals("mallctl") && !Integer.valueOf(0).equals(result)) {
                throw new IllegalStateException("mallctl must work: result=" + result);
            }
        } catch (RuntimeException e) {
            throw e;
        } catch (Throwable e) {
            throw Malloc.unexpected(e);
        }
    }
}
