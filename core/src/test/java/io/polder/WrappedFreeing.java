package io.polder;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** What a program makes of a freeing arena to map files, or to have cleanup actions. */
record WrappedFreeing(FreeingArena inside) implements Arena {
    @Override
    public MemorySegment allocate(long byteSize, long byteAlignment) {
        return inside.allocate(byteSize, byteAlignment);
    }

    @Override
    public MemorySegment.Scope scope() {
        return inside.scope();
    }

    @Override
    public void close() {
        inside.close();
    }
}
