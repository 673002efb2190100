package io.polder.lab.experiments.elasticity;

import io.polder.lab.harness.Malloc;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * {@linkplain IdealMalloc Malloc, idealised}, that is asked to give memory back where Polder is
 * trimmed, by whatever its library has for that. A program has to know the library to do so.
 */
final class AskedMalloc implements OwnedMemory {
    /** All arenas, in names of jemalloc's controls ({@code MALLCTL_ARENAS_ALL}). */
    private static final int ALL_ARENAS = 4096;

    private final IdealMalloc malloc;
    private final Runnable giveBack;

    /**
     * Creates a contender.
     *
     * @param library where malloc comes from
     */
    AskedMalloc(IdealMalloc malloc, MallocLibrary library) {
        this.malloc = malloc;
        this.giveBack =
                switch (library) {
                    case GLIBC -> AskedMalloc::trim;
                    case JEMALLOC -> AskedMalloc::purge;
                    case MIMALLOC -> AskedMalloc::collect;
                };
    }

    @Override
    public void open(int owner) {
        malloc.open(owner);
    }

    @Override
    public long allocate(int owner, long bytes) {
        return malloc.allocate(owner, bytes);
    }

    @Override
    public void close(int owner) {
        malloc.close(owner);
    }

    @Override
    public void giveBack(int thread) {
        giveBack.run();
    }

    @Override
    public long committedBytes() {
        return malloc.committedBytes();
    }

    @Override
    public void close() {
        malloc.close();
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
