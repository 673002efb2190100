package io.polder.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The system calls of Linux that Polder makes, one method each and nothing else.
 *
 * <p><b>Results.</b> As the kernel gives them: zero or a positive value when the call worked, the
 * negated errno when it did not. No method throws because of what the kernel says, so the caller
 * cannot forget which calls fail. The errno is captured with the call, in a little memory from an
 * arena of the JDK; pooled memory would come from the layers above.
 *
 * <p><b>Types.</b> Addresses travel as {@code long}: on both architectures a pointer is passed like
 * one.
 *
 * <p><b>Class initialisation</b> needs native access ({@link Providers} asks first) and never fails
 * because of a missing symbol: such a symbol is {@linkplain #missingSymbols listed}.
 *
 * <p>Tests override single methods to see what happens when the kernel refuses.
 */
class LinuxCalls {

    private static final Linker LINKER = Linker.nativeLinker();
    private static final SymbolLookup LIBC = LINKER.defaultLookup();
    private static final StructLayout CAPTURED = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO =
            CAPTURED.varHandle(PathElement.groupElement("errno")).withInvokeExactBehavior();

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    private static final List<String> MISSING = new ArrayList<>();

    private static final MethodHandle MMAP =
            link("mmap", FunctionDescriptor.of(LONG, LONG, LONG, INT, INT, INT, LONG));
    private static final MethodHandle MUNMAP =
            link("munmap", FunctionDescriptor.of(INT, LONG, LONG));
    private static final MethodHandle MPROTECT =
            link("mprotect", FunctionDescriptor.of(INT, LONG, LONG, INT));
    private static final MethodHandle MADVISE =
            link("madvise", FunctionDescriptor.of(INT, LONG, LONG, INT));
    private static final MethodHandle MREMAP =
            link(
                    "mremap",
                    FunctionDescriptor.of(LONG, LONG, LONG, LONG, INT, LONG),
                    Linker.Option.firstVariadicArg(4));
    private static final MethodHandle CLOSE = link("close", FunctionDescriptor.of(INT, INT));
    private static final MethodHandle GETPAGESIZE = link("getpagesize", FunctionDescriptor.of(INT));
    private static final MethodHandle PIDFD_OPEN =
            link(
                    "syscall",
                    FunctionDescriptor.of(LONG, LONG, LONG, LONG),
                    Linker.Option.firstVariadicArg(1));
    private static final MethodHandle PROCESS_MADVISE =
            link(
                    "syscall",
                    FunctionDescriptor.of(LONG, LONG, LONG, LONG, LONG, LONG, LONG),
                    Linker.Option.firstVariadicArg(1));

    /** What the C library returns for every failure, whatever the call returns otherwise. */
    private static final long FAILED = -1;

    /** For anonymous memory, which has no file. */
    private static final int NO_FILE = -1;

    /** Symbols of the C library that could not be found; nothing may be called unless empty. */
    static List<String> missingSymbols() {
        return Collections.unmodifiableList(MISSING);
    }

    /** Maps anonymous memory; the result is its address. */
    long mmap(long address, long bytes, int protection, int flags) {
        return result(
                (state, arena) ->
                        (long)
                                MMAP.invokeExact(
                                        state, address, bytes, protection, flags, NO_FILE, 0L));
    }

    long munmap(long address, long bytes) {
        return result((state, arena) -> (int) MUNMAP.invokeExact(state, address, bytes));
    }

    long mprotect(long address, long bytes, int protection) {
        return result(
                (state, arena) -> (int) MPROTECT.invokeExact(state, address, bytes, protection));
    }

    long madvise(long address, long bytes, int advice) {
        return result((state, arena) -> (int) MADVISE.invokeExact(state, address, bytes, advice));
    }

    /** Moves a mapping without changing its size; the result is the new address. */
    long mremap(long from, long to, long bytes, int flags) {
        return result(
                (state, arena) -> (long) MREMAP.invokeExact(state, from, bytes, bytes, flags, to));
    }

    /** Opens a descriptor that names a process; the kernel closes it on exec. */
    long pidfdOpen(long pid) {
        return result(
                (state, arena) ->
                        (long)
                                PIDFD_OPEN.invokeExact(
                                        state, LinuxConstants.SYS_PIDFD_OPEN, pid, 0L));
    }

    /**
     * Gives one advice on several ranges. The result is the number of bytes advised, which may end
     * before a range that the kernel refuses.
     *
     * @param first index of the first range
     * @param count how many ranges; at most {@link IovecLayout#COUNT_MAX}
     */
    long processMadvise(
            int pidfd, long[] addresses, long[] sizes, int first, int count, int advice) {
        return result(
                (state, arena) -> {
                    MemorySegment ranges =
                            arena.allocate(count * IovecLayout.BYTES, IovecLayout.ALIGNMENT);
                    for (int i = 0; i < count; i++) {
                        IovecLayout.set(ranges, i, addresses[first + i], sizes[first + i]);
                    }
                    return (long)
                            PROCESS_MADVISE.invokeExact(
                                    state,
                                    LinuxConstants.SYS_PROCESS_MADVISE,
                                    (long) pidfd,
                                    ranges.address(),
                                    (long) count,
                                    (long) advice,
                                    0L);
                });
    }

    long close(int descriptor) {
        return result((state, arena) -> (int) CLOSE.invokeExact(state, descriptor));
    }

    long pageSize() {
        return result((state, arena) -> (int) GETPAGESIZE.invokeExact(state));
    }

    /** The body of a call: invokes a handle with memory to capture the errno in. */
    @FunctionalInterface
    private interface Call {
        long invoke(MemorySegment state, Arena arena) throws Throwable;
    }

    private static long result(Call call) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(CAPTURED);
            long result = call.invoke(state, arena);
            return result == FAILED ? -(int) ERRNO.get(state, 0L) : result;
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable t) {
            throw new AssertionError("a downcall must not throw a checked exception", t);
        }
    }

    @SuppressWarnings("restricted")
    private static MethodHandle link(
            String symbol, FunctionDescriptor descriptor, Linker.Option... options) {
        Linker.Option[] all = new Linker.Option[options.length + 1];
        all[0] = Linker.Option.captureCallState("errno");
        System.arraycopy(options, 0, all, 1, options.length);
        return LIBC.find(symbol)
                .map(address -> LINKER.downcallHandle(address, descriptor, all))
                .orElseGet(() -> missing(symbol, descriptor));
    }

    /** A handle of the right type that throws when it is called. */
    private static MethodHandle missing(String symbol, FunctionDescriptor descriptor) {
        MISSING.add(symbol);
        MethodType type = descriptor.toMethodType().insertParameterTypes(0, MemorySegment.class);
        MethodHandle thrower =
                MethodHandles.throwException(type.returnType(), UnsatisfiedLinkError.class)
                        .bindTo(new UnsatisfiedLinkError(symbol));
        return MethodHandles.dropArguments(thrower, 0, type.parameterList());
    }
}
