package io.polder.bench;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.function.Consumer;

/**
 * The smallest honest arena over {@code calloc}: each allocation is one {@code calloc}, close frees
 * them all. Both calls are critical downcalls, the cheapest a Java program can make, so this is
 * what "just call malloc" costs.
 *
 * <p>{@code calloc} zeroes and aligns to {@value #MAX_ALIGNMENT} bytes; greater alignments are
 * refused because no benchmark asks for them.
 */
@SuppressWarnings("restricted")
final class CallocArena implements Arena {
    /** What the C library promises on every 64-bit system. */
    private static final long MAX_ALIGNMENT = 16;

    private static final MethodHandle CALLOC =
            function("calloc", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG));

    private static final MethodHandle MALLOC =
            function("malloc", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));

    private static final MethodHandle FREE = function("free", FunctionDescriptor.ofVoid(JAVA_LONG));

    private static final Consumer<MemorySegment> FREE_ON_CLOSE = CallocArena::free;

    private final Arena lifetime = Arena.ofConfined();

    private static MethodHandle function(String name, FunctionDescriptor type) {
        Linker linker = Linker.nativeLinker();
        return linker.downcallHandle(
                linker.defaultLookup().findOrThrow(name), type, Linker.Option.critical(false));
    }

    @Override
    public MemorySegment allocate(long byteSize, long byteAlignment) {
        if (byteAlignment > MAX_ALIGNMENT) {
            throw new IllegalArgumentException(
                    "calloc aligns to 16 at most: byteAlignment=" + byteAlignment);
        }
        long address = calloc(byteSize);
        if (address == 0) {
            throw new OutOfMemoryError("calloc returned null: byteSize=" + byteSize);
        }
        return MemorySegment.ofAddress(address).reinterpret(byteSize, lifetime, FREE_ON_CLOSE);
    }

    @Override
    public MemorySegment.Scope scope() {
        return lifetime.scope();
    }

    @Override
    public void close() {
        lifetime.close();
    }

    /** Zeroed memory of the C library; its address. */
    static long calloc(long byteSize) {
        try {
            return (long) CALLOC.invokeExact(1L, byteSize);
        } catch (Throwable e) {
            throw new AssertionError("calloc does not throw", e);
        }
    }

    /** Memory of the C library as it is; its address. */
    static long malloc(long byteSize) {
        try {
            return (long) MALLOC.invokeExact(byteSize);
        } catch (Throwable e) {
            throw new AssertionError("malloc does not throw", e);
        }
    }

    private static void free(MemorySegment segment) {
        free(segment.address());
    }

    /** Gives memory of the C library back to it. */
    static void free(long address) {
        try {
            FREE.invokeExact(address);
        } catch (Throwable e) {
            throw new AssertionError("free does not throw", e);
        }
    }
}
