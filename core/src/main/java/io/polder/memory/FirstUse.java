package io.polder.memory;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * What the first system call sets in motion, before it: the linker, and all classes of the JDK and
 * of this package that a system call, a refused one, and the first access to memory initialise.
 *
 * <p>A {@link DeepStackRunner} runs it, and again for the next call if it did not come to its end.
 * So no error of the thread that comes first decides anything for those who come later.
 *
 * <p>This class has no static initialiser, and {@link Linked} one that takes over what was made
 * before. Threads may race: the second one does the same again.
 */
final class FirstUse {
    private static final long NO_DESCRIPTOR = -1;

    /**
     * Written by the first use that came to its end, and read by each system call. A benign race:
     * who reads it goes on to {@link Linked}, whose initialisation came before it was written.
     */
    static boolean done;

    /** What {@link Linked} takes over. */
    private static volatile @Nullable MethodHandle syscall;

    /** The same; by then it costs little more than to look the name up. */
    private static volatile @Nullable MethodHandle memset;

    private static volatile long errnoOffset;

    private FirstUse() {}

    /** Sees to it that system calls can be made. */
    static void ensure() {
        if (!done) {
            // Not a lambda: the first of those in a JVM sets much in motion itself.
            boolean _ =
                    DeepStackRunner.call(
                            new Supplier<Boolean>() {
                                @Override
                                public Boolean get() {
                                    prepare();
                                    return true;
                                }
                            });
        }
    }

    private static void prepare() {
        PathElement name = PathElement.groupElement("errno");
        errnoOffset = Linker.Option.captureStateLayout().byteOffset(name);
        syscall = LinuxCalls.link("syscall");
        memset = LinuxCalls.link("memset");
        rehearse();
        done = true;
    }

    /**
     * Does what system calls and providers do at first. The call is one that systems refuse: there
     * is no such descriptor. If an emulator or a sandbox grants it, nothing has happened either.
     */
    private static void rehearse() {
        long _ =
                LinuxCalls.call(
                        Linked.SYSCALL, LinuxConstants.SYS_CLOSE, NO_DESCRIPTOR, 0, 0, 0, 0, 0);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(Zeroing.GRAIN_BYTES, Zeroing.GRAIN_BYTES);
            Zeroing.zero(memory.address(), memory.byteSize());
            memory.set(ValueLayout.JAVA_BYTE, 0, memory.get(ValueLayout.JAVA_BYTE, 1));
        }
    }

    /** Handles that compilers take for constants. To be used after {@link #ensure} only. */
    static final class Linked {
        static final MethodHandle SYSCALL = Objects.requireNonNull(syscall);
        static final MethodHandle MEMSET = Objects.requireNonNull(memset);
        static final long ERRNO_OFFSET = errnoOffset;

        private Linked() {}
    }
}
