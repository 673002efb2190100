package io.polder.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.util.NoSuchElementException;

/**
 * The system calls of Linux that Polder makes, one method each and nothing else.
 *
 * <p><b>One shape.</b> All of them go through {@code syscall} of the C library, by their
 * {@linkplain LinuxConstants numbers}, because every downcall of another shape costs time at its
 * first use. It is linked at the {@linkplain FirstUse first call} and not before: linking is most
 * of what the first use of a pool costs.
 *
 * <p><b>Results.</b> As the kernel gives them: zero or a positive value when the call worked, the
 * negated errno when it did not. No method throws because of what the kernel says, so the caller
 * cannot forget which calls fail. The errno is captured with the call, in a little memory from an
 * arena of the JDK; pooled memory would come from the layers above.
 *
 * <p><b>Errors.</b> Between the kernel's answer and the caller's next line no method of ours is
 * entered, and no object made; and where the caller must not lose the answer, because mappings
 * change, it is {@linkplain StackBang made sure} before that the JDK's own code has stack enough.
 * So an error that comes out of such a method came before the call, and the caller can act in place
 * on what comes back.
 *
 * <p><b>Types.</b> Everything travels as {@code long}: the kernel takes its arguments in registers
 * of that size on both architectures, and looks at the lower half where it wants an {@code int}.
 *
 * <p><b>The first call</b> needs native access ({@link Providers} asks first). Where the JVM has no
 * linker, or the C library no such symbol, every call is refused with {@link Errno#ENOSYS}.
 *
 * <p>Tests override single methods to see what happens when the kernel refuses.
 */
class LinuxCalls {
    /** The C library, by the name under which glibc is loaded. */
    private static final String LIBRARY = "libc.so.6";

    /** What the C library returns for every failure. */
    private static final long FAILED = -1;

    /** Not written by the kernel, which has used only the lowest bit so far. */
    private static final byte NOT_TOLD = (byte) 0x80;

    /** For anonymous memory, which has no file. */
    private static final long NO_FILE = -1;

    /** Maps anonymous memory; the result is its address. */
    long mmap(long address, long bytes, int protection, int flags) {
        StackBang.ensure();
        return call(LinuxConstants.SYS_MMAP, address, bytes, protection, flags, NO_FILE, 0);
    }

    long munmap(long address, long bytes) {
        StackBang.ensure();
        return call(LinuxConstants.SYS_MUNMAP, address, bytes, 0, 0, 0, 0);
    }

    long mprotect(long address, long bytes, int protection) {
        StackBang.ensure();
        return call(LinuxConstants.SYS_MPROTECT, address, bytes, protection, 0, 0, 0);
    }

    long madvise(long address, long bytes, int advice) {
        return call(LinuxConstants.SYS_MADVISE, address, bytes, advice, 0, 0, 0);
    }

    /** Moves a mapping without changing its size; the result is the new address. */
    long mremap(long from, long to, long bytes, int flags) {
        StackBang.ensure();
        return call(LinuxConstants.SYS_MREMAP, from, bytes, bytes, flags, to, 0);
    }

    /**
     * Gives one advice on several ranges of this process. The result is the number of bytes
     * advised, which may end before a range that the kernel refuses.
     *
     * @param first index of the first range
     * @param count how many ranges; at most {@link IovecLayout#COUNT_MAX}
     */
    long processMadvise(long[] addresses, long[] sizes, int first, int count, int advice) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment ranges = arena.allocate(count * IovecLayout.BYTES, IovecLayout.ALIGNMENT);
            for (int i = 0; i < count; i++) {
                IovecLayout.set(ranges, i, addresses[first + i], sizes[first + i]);
            }
            return call(
                    LinuxConstants.SYS_PROCESS_MADVISE,
                    LinuxConstants.PIDFD_SELF,
                    ranges.address(),
                    count,
                    advice,
                    0,
                    0);
        }
    }

    /**
     * How many bytes of a range of whole pages have memory.
     *
     * <p>The kernel writes a byte for each of its pages. How large those are need not be known: the
     * room is enough for the smallest, and how much of it was written tells.
     */
    long mincore(long address, long bytes) {
        try (Arena arena = Arena.ofConfined()) {
            long most = bytes / AuxiliaryVector.OS_PAGE_SIZE_MIN;
            MemorySegment inCore = arena.allocate(most).fill(NOT_TOLD);
            long result =
                    call(LinuxConstants.SYS_MINCORE, address, bytes, inCore.address(), 0, 0, 0);
            if (result < 0) {
                return result;
            }
            long told = 0;
            long resident = 0;
            while (told < most && inCore.get(ValueLayout.JAVA_BYTE, told) != NOT_TOLD) {
                resident += inCore.get(ValueLayout.JAVA_BYTE, told) & 1;
                told++;
            }
            return told == 0 ? 0 : resident * (bytes / told);
        }
    }

    /** Fences the threads of this process, or registers it for that. */
    long membarrier(int command) {
        return call(LinuxConstants.SYS_MEMBARRIER, command, 0, 0, 0, 0, 0);
    }

    /**
     * How much address space the process may have ({@code RLIMIT_AS}, the soft limit), in bytes;
     * {@link Long#MAX_VALUE} if there is no limit.
     */
    long addressSpaceMax() {
        return soft(LinuxConstants.RLIMIT_AS);
    }

    /** How much of it may be private and written to ({@code RLIMIT_DATA}), in the same way. */
    long dataMax() {
        return soft(LinuxConstants.RLIMIT_DATA);
    }

    private static long soft(int resource) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment limit = arena.allocate(RlimitLayout.BYTES, RlimitLayout.ALIGNMENT);
            long result = call(LinuxConstants.SYS_PRLIMIT64, 0, resource, 0, limit.address(), 0, 0);
            return result < 0 ? result : RlimitLayout.soft(limit);
        }
    }

    private static long call(long number, long a, long b, long c, long d, long e, long f) {
        FirstUse.ensure();
        return call(FirstUse.Linked.SYSCALL, number, a, b, c, d, e, f);
    }

    /** Makes a system call through a handle that {@link #link} gave. */
    static long call(
            MethodHandle syscall, long number, long a, long b, long c, long d, long e, long f) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(Linker.Option.captureStateLayout());
            long result = (long) syscall.invokeExact(state, number, a, b, c, d, e, f);
            return result == FAILED
                    ? -state.get(ValueLayout.JAVA_INT, FirstUse.Linked.ERRNO_OFFSET)
                    : result;
        } catch (RuntimeException | Error thrown) {
            throw thrown;
        } catch (Throwable thrown) {
            throw new AssertionError("a downcall must not throw a checked exception", thrown);
        }
    }

    /**
     * The address of a function of the C library. The linker's own look-up opens a file when it is
     * first used; if that fails since the process has no descriptor left, it finds nothing ever
     * after. The library itself is loaded, and is found without a file.
     */
    @SuppressWarnings("restricted")
    private static MemorySegment lookUp(Linker linker, String symbol) {
        return linker.defaultLookup()
                .or(name -> SymbolLookup.libraryLookup(LIBRARY, Arena.global()).find(name))
                .findOrThrow(symbol);
    }

    /**
     * A handle of {@code syscall}; one that refuses every call if there is nothing to link. What
     * else goes wrong is thrown: it may be another time.
     */
    @SuppressWarnings("restricted")
    static MethodHandle link(String symbol) {
        ValueLayout.OfLong word = ValueLayout.JAVA_LONG;
        FunctionDescriptor words =
                FunctionDescriptor.of(word, word, word, word, word, word, word, word);
        try {
            Linker linker = Linker.nativeLinker();
            return linker.downcallHandle(
                    lookUp(linker, symbol),
                    words,
                    Linker.Option.firstVariadicArg(1),
                    Linker.Option.captureCallState("errno"));
        } catch (NoSuchElementException
                | IllegalArgumentException
                | UnsupportedOperationException
                | UnsatisfiedLinkError missing) {
            return MethodHandles.dropArguments(
                    MethodHandles.constant(long.class, (long) -Errno.ENOSYS),
                    0,
                    words.toMethodType()
                            .insertParameterTypes(0, MemorySegment.class)
                            .parameterList());
        }
    }
}
