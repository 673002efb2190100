package io.polder.stress.limits;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/** System calls by number, as the ABI of Linux on x86-64 and aarch64 has them. */
final class SystemCalls {
    private static final boolean AARCH64 = System.getProperty("os.arch", "").equals("aarch64");

    static final int MMAP = AARCH64 ? 222 : 9;
    static final int MPROTECT = AARCH64 ? 226 : 10;
    static final int MREMAP = AARCH64 ? 216 : 25;
    static final int MINCORE = AARCH64 ? 232 : 27;
    static final int MADVISE = AARCH64 ? 233 : 28;
    static final int PRLIMIT64 = AARCH64 ? 261 : 302;
    static final int PRCTL = AARCH64 ? 167 : 157;
    static final int SECCOMP = AARCH64 ? 277 : 317;
    static final int MEMBARRIER = AARCH64 ? 283 : 324;
    static final int PROCESS_MADVISE = 440;

    private static final MethodHandle CALL = link();

    private SystemCalls() {}

    /** What the C library's {@code syscall} returns: -1 where the kernel refuses. */
    static long call(long number, long a, long b, long c, long d, long e, long f) {
        try {
            return (long) CALL.invokeExact(number, a, b, c, d, e, f);
        } catch (RuntimeException | Error thrown) {
            throw thrown;
        } catch (Throwable thrown) {
            throw new AssertionError("a downcall throws nothing checked", thrown);
        }
    }

    @SuppressWarnings("restricted")
    private static MethodHandle link() {
        ValueLayout.OfLong word = ValueLayout.JAVA_LONG;
        Linker linker = Linker.nativeLinker();
        return linker.downcallHandle(
                linker.defaultLookup().findOrThrow("syscall"),
                FunctionDescriptor.of(word, word, word, word, word, word, word, word),
                Linker.Option.firstVariadicArg(1));
    }

    /** A struct of the kernel's for the length of a call. */
    static MemorySegment struct(Arena arena, long bytes) {
        return arena.allocate(bytes, Long.BYTES);
    }
}
