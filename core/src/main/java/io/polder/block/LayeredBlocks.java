package io.polder.block;

import java.lang.foreign.MemorySegment;

/**
 * Blocks that stand before others and look at what passes: all ways to allocate are two, one for
 * addresses and one for segments.
 */
abstract sealed class LayeredBlocks extends Blocks permits CheckedBlocks, WatchedBlocks {
    /** Allocates a block; zero, if it is to be. */
    abstract long allocate(long bytes, long alignment, boolean zero);

    /** The same as a segment. */
    abstract MemorySegment allocateSegment(long bytes, long alignment, boolean zero);

    @Override
    public final long allocate(long bytes) {
        return allocate(bytes, SizeClass.GRAIN_BYTES, false);
    }

    @Override
    public final long allocate(long bytes, long alignment) {
        return allocate(bytes, alignment, false);
    }

    @Override
    public final long allocateZeroed(long bytes) {
        return allocate(bytes, SizeClass.GRAIN_BYTES, true);
    }

    @Override
    public final long allocateZeroed(long bytes, long alignment) {
        return allocate(bytes, alignment, true);
    }

    @Override
    public final MemorySegment allocateSegment(long bytes, long alignment) {
        return allocateSegment(bytes, alignment, false);
    }

    @Override
    public final MemorySegment allocateZeroedSegment(long bytes, long alignment) {
        return allocateSegment(bytes, alignment, true);
    }
}
