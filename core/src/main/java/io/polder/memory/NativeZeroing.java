package io.polder.memory;

import org.jspecify.annotations.Nullable;

import java.lang.invoke.MethodHandle;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * The {@code memset} of the C library, for much memory at a time: it knows how the processor clears
 * more than its caches hold without reading it first, which no other way does.
 *
 * <p>It is there once the linker is in use anyway, and linked at the first call that needs it, in
 * the shape that {@link LinuxCalls} have: so that costs no more than to look the name up. The call
 * is one that the JVM can stop during, however much there is to clear.
 *
 * <p>Thread-safe. Threads may race to link it: the second one does the same again.
 */
final class NativeZeroing {
    /**
     * From here on it takes no more time than {@link Zeroing} does otherwise, and a fifth less
     * beyond the second-level cache; for less glibc has it repeat one instruction, which takes half
     * as much again: measured, {@code bench/run ClearingMemory}.
     */
    static final long FROM_BYTES = 1 << 20;

    /** Whether {@link Linked} has what it takes over. */
    private static boolean ready;

    private static volatile @Nullable MethodHandle memset;

    private NativeZeroing() {}

    /**
     * Clears memory.
     *
     * @return whether that was done; if not, some of it may be clear
     */
    static boolean zero(long address, long bytes) {
        return (ready || prepare())
                && LinuxCalls.call(Linked.MEMSET, address, 0, bytes, 0, 0, 0, 0) == address;
    }

    private static boolean prepare() {
        if (!FirstUse.done) {
            return false;
        }
        ready =
                DeepStackRunner.call(
                        new Supplier<>() {
                            @Override
                            public Boolean get() {
                                memset = LinuxCalls.link("memset");
                                return Linked.MEMSET != null;
                            }
                        });
        return ready;
    }

    /** A handle that compilers take for a constant. To be used after {@link #prepare} only. */
    private static final class Linked {
        static final MethodHandle MEMSET = Objects.requireNonNull(memset);

        private Linked() {}
    }
}
