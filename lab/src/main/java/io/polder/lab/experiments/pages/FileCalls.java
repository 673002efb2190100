package io.polder.lab.experiments.pages;

import io.polder.memory.OsCallException;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * What Linux offers to keep memory in a file without a name and to map parts of it wherever they
 * are wanted: how ZGC moves memory. By way of the C library; constants are those of both x86-64 and
 * aarch64.
 *
 * <p>What the system refuses is an {@link OsCallException}. Thread-safe: no state.
 */
final class FileCalls {
    private static final int PROT_NONE = 0;
    private static final int PROT_READ_WRITE = 3;
    private static final int MAP_SHARED = 1;
    private static final int MAP_FIXED = 0x10;

    /** {@code MAP_PRIVATE}, {@code MAP_ANONYMOUS}, {@code MAP_NORESERVE}. */
    private static final int ADDRESSES_ONLY = 0x4022;

    /** {@code FALLOC_FL_KEEP_SIZE}, {@code FALLOC_FL_PUNCH_HOLE}. */
    private static final int PUNCH_HOLE = 3;

    private static final int NO_FILE = -1;

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    private static final MethodHandle MEMFD_CREATE =
            link("memfd_create", INT, ValueLayout.ADDRESS, INT);
    private static final MethodHandle FTRUNCATE = link("ftruncate", INT, INT, LONG);
    private static final MethodHandle MMAP = link("mmap", LONG, LONG, LONG, INT, INT, INT, LONG);
    private static final MethodHandle MUNMAP = link("munmap", INT, LONG, LONG);
    private static final MethodHandle FALLOCATE = link("fallocate", INT, INT, INT, LONG, LONG);
    private static final MethodHandle CLOSE = link("close", INT, INT);

    private FileCalls() {}

    /** A file in memory, without a name in the file system; returns its descriptor. */
    static int create(String name) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = state(arena);
            int file = (int) MEMFD_CREATE.invokeExact(state, arena.allocateFrom(name), 0);
            check("memfd_create", file, state, 0, 0);
            return file;
        } catch (Throwable thrown) {
            throw unchecked(thrown);
        }
    }

    /** Sets the length of a file. What is beyond its old end has no memory and reads as zero. */
    static void resize(int file, long bytes) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = state(arena);
            check("ftruncate", (int) FTRUNCATE.invokeExact(state, file, bytes), state, 0, bytes);
        } catch (Throwable thrown) {
            throw unchecked(thrown);
        }
    }

    /** Takes addresses, behind which there is nothing. */
    static long reserve(long bytes) {
        return mmap("mmap", 0, bytes, PROT_NONE, ADDRESSES_ONLY, NO_FILE, 0);
    }

    /** Puts a part of a file behind addresses, in place of what was there. */
    static void map(long address, long bytes, int file, long offset) {
        int flags = MAP_SHARED | MAP_FIXED;
        long _ = mmap("mmap(MAP_SHARED)", address, bytes, PROT_READ_WRITE, flags, file, offset);
    }

    /** Keeps the addresses, with nothing behind them. */
    static void unmap(long address, long bytes) {
        int flags = ADDRESSES_ONLY | MAP_FIXED;
        long _ = mmap("mmap(PROT_NONE)", address, bytes, PROT_NONE, flags, NO_FILE, 0);
    }

    private static long mmap(
            String call, long address, long bytes, int protection, int flags, int file, long at) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = state(arena);
            long result =
                    (long) MMAP.invokeExact(state, address, bytes, protection, flags, file, at);
            check(call, result, state, address, bytes);
            return result;
        } catch (Throwable thrown) {
            throw unchecked(thrown);
        }
    }

    /** Gives addresses back, with whatever is behind them. */
    static void release(long address, long bytes) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = state(arena);
            int result = (int) MUNMAP.invokeExact(state, address, bytes);
            check("munmap", result, state, address, bytes);
        } catch (Throwable thrown) {
            throw unchecked(thrown);
        }
    }

    /** Gives the memory behind a part of a file back; the part reads as zero then. */
    static void punch(int file, long offset, long bytes) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = state(arena);
            int result = (int) FALLOCATE.invokeExact(state, file, PUNCH_HOLE, offset, bytes);
            check("fallocate(PUNCH_HOLE)", result, state, offset, bytes);
        } catch (Throwable thrown) {
            throw unchecked(thrown);
        }
    }

    /** Closes a file; its memory is gone when nothing of it is mapped any more. */
    static void close(int file) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = state(arena);
            check("close", (int) CLOSE.invokeExact(state, file), state, 0, 0);
        } catch (Throwable thrown) {
            throw unchecked(thrown);
        }
    }

    private static MemorySegment state(Arena arena) {
        return arena.allocate(Linker.Option.captureStateLayout());
    }

    private static void check(
            String call, long result, MemorySegment state, long address, long bytes) {
        if (result == -1) {
            PathElement name = PathElement.groupElement("errno");
            long offset = Linker.Option.captureStateLayout().byteOffset(name);
            throw new OsCallException(
                    call, state.get(ValueLayout.JAVA_INT, offset), address, bytes);
        }
    }

    private static RuntimeException unchecked(Throwable thrown) {
        return switch (thrown) {
            case RuntimeException exception -> exception;
            case Error error -> throw error;
            default -> throw new AssertionError("a downcall throws nothing checked", thrown);
        };
    }

    @SuppressWarnings("restricted")
    private static MethodHandle link(String symbol, MemoryLayout result, MemoryLayout... args) {
        Linker linker = Linker.nativeLinker();
        return linker.downcallHandle(
                linker.defaultLookup().findOrThrow(symbol),
                FunctionDescriptor.of(result, args),
                Linker.Option.captureCallState("errno"));
    }
}
