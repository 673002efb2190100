package io.polder.agent.census;

import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;

/**
 * A confined arena that is counted: the arena inside does everything, and throws first.
 *
 * <p>Small enough for compilers to remove it together with the arena inside.
 */
final class CountedArena implements Arena {
    private final Arena arena;
    private final Row row;
    private final int weight;
    private final long openedNanos;
    private long bytes;
    private long allocations;

    /**
     * Counts the arena as opened.
     *
     * @param arena what it does
     * @param row where it is counted
     */
    CountedArena(Arena arena, Row row) {
        this.arena = arena;
        this.row = row;
        this.weight = row.opened();
        this.openedNanos = weight == 0 ? 0 : System.nanoTime();
    }

    @Override
    public MemorySegment allocate(long byteSize, long byteAlignment) {
        MemorySegment segment = arena.allocate(byteSize, byteAlignment);
        countAllocation(byteSize);
        return segment;
    }

    @Override
    public MemorySegment allocate(long byteSize) {
        MemorySegment segment = arena.allocate(byteSize);
        countAllocation(byteSize);
        return segment;
    }

    @Override
    public MemorySegment allocate(MemoryLayout layout) {
        MemorySegment segment = arena.allocate(layout);
        countAllocation(segment.byteSize());
        return segment;
    }

    @Override
    public MemorySegment allocate(MemoryLayout elementLayout, long count) {
        MemorySegment segment = arena.allocate(elementLayout, count);
        countAllocation(segment.byteSize());
        return segment;
    }

    private void countAllocation(long byteSize) {
        long before = bytes;
        bytes = before + byteSize;
        allocations++;
        row.allocated(before, before + byteSize);
    }

    @Override
    public MemorySegment.Scope scope() {
        return arena.scope();
    }

    @Override
    public void close() {
        boolean wasAlive = arena.scope().isAlive();
        try {
            arena.close();
        } catch (Throwable failure) {
            closeFailed(wasAlive);
            throw failure;
        }
        count();
    }

    /** Counts the arena if this call did close it, and then a cleanup action threw. */
    private void closeFailed(boolean wasAlive) {
        if (wasAlive && !arena.scope().isAlive()) {
            count();
        }
    }

    private void count() {
        row.closed(bytes, allocations);
        if (weight != 0) {
            row.lived(System.nanoTime() - openedNanos, weight);
        }
    }
}
