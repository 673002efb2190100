package io.polder.lab.harness;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Optional;

/**
 * The malloc of this process, whichever library it comes from.
 *
 * <p>Symbols are looked up where a C program would find them, in the order in which libraries were
 * loaded: a preloaded library comes before the C library. The linker's own lookup begins at the
 * C library and would never find the other one.
 *
 * <p>Calls skip the change of a thread's state that other foreign calls pay for ({@link
 * Linker.Option#critical}). That favours malloc by some nanoseconds a call: no program that calls a
 * function which may block should do that.
 */
public final class Malloc {
    /** The pseudo handle of {@code dlsym} for the usual order of search. */
    private static final long RTLD_DEFAULT = 0;

    private static final MethodHandle DLSYM =
            link("dlsym", ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS);

    private static final MethodHandle MALLOC =
            linkCritical(
                    "malloc", FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG));

    private static final MethodHandle FREE =
            linkCritical("free", FunctionDescriptor.ofVoid(ValueLayout.JAVA_LONG));

    private static final MethodHandle REALLOC =
            linkCritical(
                    "realloc",
                    FunctionDescriptor.of(
                            ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG));

    private Malloc() {}

    /**
     * Allocates a block.
     *
     * @throws OutOfMemoryError if there is no memory
     */
    public static long malloc(long bytes) {
        long address;
        try {
            address = (long) MALLOC.invokeExact(bytes);
        } catch (Throwable e) {
            throw unexpected(e);
        }
        return found(address, bytes);
    }

    /**
     * Changes the size of a block, which may move.
     *
     * @throws OutOfMemoryError if there is no memory; the block is as it was
     */
    public static long realloc(long address, long bytes) {
        long moved;
        try {
            moved = (long) REALLOC.invokeExact(address, bytes);
        } catch (Throwable e) {
            throw unexpected(e);
        }
        return found(moved, bytes);
    }

    /**
     * What malloc returned.
     *
     * @throws OutOfMemoryError if that is none
     */
    public static long found(long address, long bytes) {
        if (address == 0) {
            throw new OutOfMemoryError("malloc must find memory: bytes=" + bytes);
        }
        return address;
    }

    /** Frees a block. */
    public static void free(long address) {
        try {
            FREE.invokeExact(address);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** Address of {@code malloc}. */
    public static long address() {
        return address("malloc").orElseThrow();
    }

    /** A function of the library that malloc comes from; empty if no library here has it. */
    public static Optional<MethodHandle> function(String name, FunctionDescriptor type) {
        return address(name).map(address -> link(MemorySegment.ofAddress(address), type));
    }

    private static Optional<Long> address(String name) {
        try (Arena arena = Arena.ofConfined()) {
            long address = (long) DLSYM.invokeExact(RTLD_DEFAULT, arena.allocateFrom(name));
            return address == 0 ? Optional.empty() : Optional.of(address);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    @SuppressWarnings("restricted")
    private static MethodHandle link(MemorySegment symbol, FunctionDescriptor type) {
        return Linker.nativeLinker().downcallHandle(symbol, type);
    }

    private static MethodHandle link(String name, ValueLayout result, ValueLayout... arguments) {
        MemorySegment symbol = Linker.nativeLinker().defaultLookup().findOrThrow(name);
        return link(symbol, FunctionDescriptor.of(result, arguments));
    }

    @SuppressWarnings("restricted")
    private static MethodHandle linkCritical(String name, FunctionDescriptor type) {
        MemorySegment symbol = MemorySegment.ofAddress(address(name).orElseThrow());
        return Linker.nativeLinker().downcallHandle(symbol, type, Linker.Option.critical(false));
    }

    /** A downcall only throws what a bug of the caller causes. */
    public static AssertionError unexpected(Throwable thrown) {
        return new AssertionError("a downcall throws nothing", thrown);
    }
}
