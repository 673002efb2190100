package io.polder.lab.experiments.blocks;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.polder.lab.harness.GivingBack;
import io.polder.lab.harness.Malloc;
import io.polder.lab.harness.MallocLibrary;

import java.lang.foreign.FunctionDescriptor;
import java.lang.invoke.MethodHandle;

/**
 * Malloc by plain downcalls, as a program makes them that knows nothing better.
 *
 * @param library where malloc comes from in this process
 */
record PlainSource(MallocLibrary library) implements BlockSource {
    // Constants, which the compiler looks through.
    private static final MethodHandle MALLOC =
            function("malloc", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));
    private static final MethodHandle FREE = function("free", FunctionDescriptor.ofVoid(JAVA_LONG));
    private static final MethodHandle REALLOC =
            function("realloc", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG));

    @Override
    public long allocate(long bytes) {
        long address;
        try {
            address = (long) MALLOC.invokeExact(bytes);
        } catch (Throwable e) {
            throw Malloc.unexpected(e);
        }
        return Malloc.found(address, bytes);
    }

    @Override
    public void free(long address) {
        try {
            FREE.invokeExact(address);
        } catch (Throwable e) {
            throw Malloc.unexpected(e);
        }
    }

    @Override
    public long reallocate(long address, long bytes) {
        long moved;
        try {
            moved = (long) REALLOC.invokeExact(address, bytes);
        } catch (Throwable e) {
            throw Malloc.unexpected(e);
        }
        return Malloc.found(moved, bytes);
    }

    @Override
    public void giveBack() {
        GivingBack.by(library);
    }

    private static MethodHandle function(String name, FunctionDescriptor type) {
        return Malloc.function(name, type).orElseThrow();
    }
}
