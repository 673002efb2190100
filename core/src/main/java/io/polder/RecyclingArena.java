package io.polder;

import io.polder.arena.recycling.Recycler;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;

/**
 * An allocator whose segments can be freed one by one, and all at once by its close.
 *
 * <p>What {@link #free} is given is handed out again by later calls of {@link #allocate}: the
 * smallest free block that can hold the request, cut to size, whether it was freed at that size, is
 * a part of something larger, or was put together from several that lie side by side. Only if no
 * free block can hold the request does the arena grow. All memory goes back to the pool when it is
 * closed, and none before.
 *
 * {@snippet class="PoolSnippets" region="recycling"}
 *
 * <p>This is not an {@link Arena}, because it breaks what arenas promise: that segments never
 * overlap as long as the arena is open. Memory is zero when it is handed out, aligned to 16 bytes
 * at least, and overlaps nothing that is allocated.
 *
 * <h2>After a segment was freed</h2>
 *
 * <p>To the JDK it is alive as long as this arena is open: reading and writing it is not refused,
 * even when its memory has another user by then. It must not be touched any more, neither by the
 * program nor by native code that got its address. Freeing it again is refused as long as its
 * memory is free. If the same address has been handed out again at the same size, the two segments
 * cannot be told apart, and the new one would be freed.
 *
 * <h2>Cost</h2>
 *
 * <p>Sizes are rounded up to 16 bytes. For each segment allocated and each free block, up to 56
 * bytes on the Java heap say where it is. Freeing writes zeros to what was allocated. An alignment
 * above 16 bytes may cost a look at every free block that is large enough but does not lie right.
 *
 * <p>Where native access is denied, {@link #free} checks its argument and recycles nothing.
 *
 * <p>Confined: every method throws {@link WrongThreadException} in any other thread than the one
 * that opened the arena, and, but for {@link #scope}, {@link IllegalStateException} once it is
 * closed.
 */
public final class RecyclingArena implements SegmentAllocator, AutoCloseable {
    private final Arena arena;
    private final Recycler recycler;

    /**
     * Opens an arena of the running thread.
     *
     * @param arena where memory comes from; nobody else may use it, and it is closed with this
     * @param recycles whether native access is allowed
     */
    RecyclingArena(Arena arena, boolean recycles) {
        this.arena = arena;
        this.recycler = new Recycler(arena, recycles);
    }

    /**
     * Allocates memory that reads as zero.
     *
     * @param byteSize how many bytes, 0 or more
     * @param byteAlignment what the address must be a multiple of, a power of two
     * @return a segment that is alive until this arena is closed
     * @throws IllegalArgumentException if {@code byteSize} is negative or {@code byteAlignment} is
     *     not a power of two
     * @throws OutOfMemoryError if no free block can hold the request and a limit of the pool, or
     *     the operating system, refuses more; nothing has changed then
     * @throws WrongThreadException if the running thread did not open this arena
     * @throws IllegalStateException if this arena is closed
     */
    @Override
    public MemorySegment allocate(long byteSize, long byteAlignment) {
        return recycler.allocate(byteSize, byteAlignment);
    }

    /**
     * Lets the memory of a segment be allocated again, and writes zeros to it.
     *
     * @param segment what {@link #allocate} returned, at the address and with the size it had then
     * @throws IllegalArgumentException if {@code segment} is of another arena, was freed before, or
     *     is only a part of what was allocated; nothing has changed then
     * @throws WrongThreadException if the running thread did not open this arena
     * @throws IllegalStateException if this arena is closed
     */
    public void free(MemorySegment segment) {
        recycler.free(segment);
    }

    /** The lifetime of all segments of this arena; may be called in any thread. */
    public MemorySegment.Scope scope() {
        return arena.scope();
    }

    /**
     * Bytes of the segments that are allocated and not freed, each rounded up to a multiple of 16,
     * and at least 16.
     *
     * <p>To the statistics of the pool, these and {@link #freeBytes} are both in use.
     */
    public long allocatedBytes() {
        return recycler.allocatedBytes();
    }

    /** How many segments are allocated and not freed. */
    public long allocatedCount() {
        return recycler.allocatedCount();
    }

    /** Bytes that were freed and wait to be allocated again. */
    public long freeBytes() {
        return recycler.freeBytes();
    }

    /**
     * Ends the lifetime of all segments, and gives all memory back to the pool.
     *
     * @throws WrongThreadException if the running thread did not open this arena
     * @throws IllegalStateException if this arena is closed already, or a native call that was
     *     passed one of its segments has not returned; nothing has changed then
     */
    @Override
    public void close() {
        arena.close();
    }

    /** What its memory is of. */
    Arena arena() {
        return arena;
    }

    /** Checks the invariants. */
    void verify() {
        recycler.verify();
    }
}
