package io.polder.arena.recycling;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * An arena that hands out one piece of memory from front to end, counts what it hands out, leaves a
 * gap where it is told to, and runs out of memory where it is told to.
 */
final class BumpArena implements Arena {
    private final Arena lifetime = Arena.ofConfined();
    private final MemorySegment memory;
    private long top;
    private long limit;
    private long handedOutBytes;

    BumpArena(long bytes) {
        memory = lifetime.allocate(bytes, 4096);
        limit = bytes;
    }

    @Override
    public MemorySegment allocate(long byteSize, long byteAlignment) {
        long start = FreeBlocks.alignUp(memory.address() + top, byteAlignment) - memory.address();
        if (byteSize > limit - start) {
            throw new OutOfMemoryError("the test's limit: limit=" + limit);
        }
        MemorySegment segment = memory.asSlice(start, byteSize);
        top = start + byteSize;
        handedOutBytes += byteSize;
        return segment;
    }

    /** What comes next does not touch what came before. */
    void leaveGap(long bytes) {
        top += bytes;
    }

    /** Nothing more can be allocated, until {@link #refill}. */
    void exhaust() {
        limit = 0;
    }

    void refill() {
        limit = memory.byteSize();
    }

    long handedOutBytes() {
        return handedOutBytes;
    }

    @Override
    public MemorySegment.Scope scope() {
        return lifetime.scope();
    }

    @Override
    public void close() {
        lifetime.close();
    }
}
