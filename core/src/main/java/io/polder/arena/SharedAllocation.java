package io.polder.arena;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.Charset;

/** An arena of all threads, which allocates in one way only, with zeros or without. */
interface SharedAllocation extends Arena {
    /**
     * Allocates.
     *
     * @param overwritten whether the caller writes to all of it before anybody can read it, so that
     *     it need not be zero
     */
    MemorySegment allocate(long byteSize, long byteAlignment, boolean overwritten);

    @Override
    default MemorySegment allocate(long byteSize, long byteAlignment) {
        return allocate(byteSize, byteAlignment, false);
    }

    @Override
    default MemorySegment allocate(long byteSize) {
        return allocate(byteSize, ConfinedArena.MALLOC_ALIGNMENT, false);
    }

    @Override
    default MemorySegment allocateFrom(String str, Charset charset) {
        return Overwriting.isWorth(str, charset)
                ? new Overwriting(this).allocateFrom(str, charset)
                : Arena.super.allocateFrom(str, charset);
    }

    /** Of an array as well. */
    @Override
    default MemorySegment allocateFrom(
            ValueLayout elementLayout,
            MemorySegment source,
            ValueLayout sourceElementLayout,
            long sourceOffset,
            long elementCount) {
        return elementCount >= Overwriting.LEAST
                ? new Overwriting(this)
                        .allocateFrom(
                                elementLayout,
                                source,
                                sourceElementLayout,
                                sourceOffset,
                                elementCount)
                : Arena.super.allocateFrom(
                        elementLayout, source, sourceElementLayout, sourceOffset, elementCount);
    }
}
