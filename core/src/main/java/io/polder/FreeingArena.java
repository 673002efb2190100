package io.polder;

import io.polder.arena.ActionOrder;
import io.polder.arena.Arguments;
import io.polder.block.Blocks;
import io.polder.leak.LeakTracker;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.util.Objects;

/**
 * An allocator whose segments can be freed one by one, and all at once by its close.
 *
 * <p>Each segment is a {@linkplain MemoryPool#blocks() block} of the pool. What {@link #free} is
 * given goes back to the pool at once, where other arenas of this kind have it, cleared, and
 * programs that allocate blocks have it, with its content unless they ask for zeros.
 *
 * {@snippet class="PoolSnippets" region="freeing"}
 *
 * <p>This is not an {@link Arena}, because it breaks what arenas promise: that segments never
 * overlap as long as the arena is open. Memory is zero when it is handed out, aligned to 16 bytes
 * at least, and overlaps nothing that is allocated.
 *
 * <h2>After a segment was freed</h2>
 *
 * <p>To the JDK it is alive as long as this arena is open: reading and writing it is not refused,
 * even when its memory has another user by then. It must not be touched any more, neither by the
 * program nor by native code that got its address: that would be what C programs do that use
 * memory after {@code free}. Freeing it again is refused, unless this arena has handed out the same
 * address again at the same size: then the two segments cannot be told apart, and the new one is
 * freed.
 *
 * <h2>Cost</h2>
 *
 * <p>As that of blocks, whose {@linkplain BlockAllocator sizes} segments are rounded up to; and for
 * each segment that is allocated 32 to 64 bytes on the Java heap, which say where it is.
 *
 * <p>Where native access is denied, {@link #free} checks its argument, and the memory stays with
 * the arena until its close.
 *
 * <p>Confined: every method but {@link #scope}, which any thread may call at any time, throws
 * {@link WrongThreadException} in any other thread than the one that opened the arena, and {@link
 * IllegalStateException} once it is closed.
 */
public final class FreeingArena implements SegmentAllocator, AutoCloseable {
    private final Arena lifetime = Arena.ofConfined();
    private final Thread owner = Thread.currentThread();

    /** Null where native access is denied: then all memory is that of the lifetime. */
    private final @Nullable Blocks blocks;

    private final @Nullable LeakTracker tracker;
    final SegmentTable live = new SegmentTable();

    /** Whether the {@linkplain ActionOrder order} of cleanup actions has begun. */
    private boolean ordered;

    /** Whether cleanup actions may be running, which still have the memory. */
    private boolean ending;

    /**
     * A block that is the arena's and not in the table, since it is about to be handed out, or
     * freed; 0 if there is none. What an error left here is freed by the next call.
     */
    private long inTransit;

    /**
     * Opens an arena of the running thread.
     *
     * @param blocks where memory comes from; null if native access is denied
     * @param tracker finds that nobody closes it; null if it is not tracked
     */
    FreeingArena(@Nullable Blocks blocks, @Nullable LeakTracker tracker) {
        this.blocks = blocks;
        this.tracker = tracker;
        if (tracker != null) {
            SegmentTable held = live;
            tracker.holds(() -> held.bytes); // not the arena, which nobody would collect then
        }
    }

    /**
     * Allocates memory that reads as zero.
     *
     * @param byteSize how many bytes, 0 or more
     * @param byteAlignment what the address must be a multiple of, a power of two of up to 2 MiB
     * @return a segment that is alive until this arena is closed
     * @throws IllegalArgumentException if {@code byteSize} is negative or {@code byteAlignment} is
     *     not a power of two, or more than 2 MiB
     * @throws OutOfMemoryError if a limit of the pool, or the operating system, refuses memory;
     *     nothing has changed then
     * @throws WrongThreadException if the running thread did not open this arena
     * @throws IllegalStateException if this arena or its pool is closed. With {@linkplain
     *     MemoryPool.Builder#checkBlocks checks} also if these find misuse; nothing changes then
     */
    @Override
    public MemorySegment allocate(long byteSize, long byteAlignment) {
        Arguments.checkAllocation(byteSize, byteAlignment);
        checkAccess();
        Blocks from = blocks;
        live.makeRoom();
        if (from == null) {
            MemorySegment segment = lifetime.allocate(Math.max(1, byteSize), byteAlignment);
            live.add(segment.address(), byteSize);
            return segment.asSlice(0, byteSize);
        }
        settle();
        inTransit = from.allocate(byteSize, byteAlignment, true);
        if (!lifetime.scope().isAlive()) { // a shrinker has closed it
            settle();
        }
        live.makeRoom(); // who made room for the block may have allocated here
        MemorySegment segment = segment(inTransit, byteSize);
        live.add(inTransit, byteSize);
        inTransit = 0;
        return segment;
    }

    @SuppressWarnings("restricted") // the block is this arena's until it is freed
    private MemorySegment segment(long address, long byteSize) {
        return MemorySegment.ofAddress(address).reinterpret(byteSize, lifetime, null);
    }

    /** Frees what is in transit. What is no block any more, since it was freed as one, is gone. */
    private void settle() {
        Blocks to = blocks;
        try {
            if (inTransit != 0 && to != null) {
                to.free(inTransit);
            }
        } catch (IllegalArgumentException freedBefore) {
            inTransit = 0;
            throw freedBefore;
        }
        inTransit = 0;
    }

    /**
     * Frees a segment: its memory may be allocated again, here or elsewhere in the pool.
     *
     * @param segment what {@link #allocate} returned, at the address and with the size it had then
     * @throws IllegalArgumentException if {@code segment} is of another arena, was freed before, or
     *     is only a part of what was allocated; nothing has changed then
     * @throws WrongThreadException if the running thread did not open this arena
     * @throws IllegalStateException if this arena is closed. With {@linkplain
     *     MemoryPool.Builder#checkBlocks checks} also if these find misuse; its memory goes back
     *     all the same, at the latest with the close
     */
    public void free(MemorySegment segment) {
        Objects.requireNonNull(segment, "segment");
        checkAccess();
        if (!segment.isNative() || !segment.scope().equals(lifetime.scope())) {
            throw new IllegalArgumentException(
                    "a segment must come from the arena that frees it: segment=" + segment);
        }
        long address = segment.address();
        long allocated = live.size(address);
        if (allocated != segment.byteSize()) {
            throw new IllegalArgumentException(
                    (allocated < 0
                                    ? "a segment must begin where the arena allocated one that was"
                                            + " not freed since: address=0x"
                                    : "a segment must be freed as it was allocated: address=0x")
                            + Long.toHexString(address)
                            + ", byteSize="
                            + segment.byteSize()
                            + (allocated < 0 ? "" : ", allocatedByteSize=" + allocated));
        }
        settle();
        live.remove(address);
        inTransit = address;
        settle();
    }

    /** As the JDK does, which checks segments but not the memory they are made from. */
    private void checkAccess() {
        checkThread();
        if (!lifetime.scope().isAlive()) {
            throw new IllegalStateException(Arguments.CLOSED);
        }
    }

    private void checkThread() {
        if (Thread.currentThread() != owner) {
            throw new WrongThreadException(Arguments.OTHER_THREAD);
        }
    }

    /** The lifetime of all segments of this arena; may be called in any thread. */
    public MemorySegment.Scope scope() {
        LeakTracker.scopeGiven(tracker);
        if (!ordered
                && blocks != null // where native access is denied, nobody registers an action
                && Thread.currentThread() == owner
                && lifetime.scope().isAlive()) {
            ActionOrder.begin(lifetime);
            ordered = true;
        }
        return lifetime.scope();
    }

    /**
     * Bytes of the segments that are allocated and not freed, as they were asked for.
     *
     * <p>Statistics of the pool count the blocks that these are in, which are larger.
     */
    public long allocatedBytes() {
        checkAccess();
        return live.bytes;
    }

    /**
     * Ends the lifetime of all segments, and gives all memory back to the pool.
     *
     * <p>If an error, such as a {@link StackOverflowError}, ends it in the middle, then the next
     * call continues.
     *
     * @throws WrongThreadException if the running thread did not open this arena
     * @throws IllegalStateException if this arena is closed already, or a native call that was
     *     passed one of its segments has not returned; nothing has changed then. With {@linkplain
     *     MemoryPool.Builder#checkBlocks checks} also if these find misuse; all was given back then
     * @throws IllegalArgumentException if a segment was freed as a block, by a {@link
     *     BlockAllocator}; all others were given back then
     */
    @Override
    public void close() {
        checkThread();
        if (ending) {
            throw new IllegalStateException(Arguments.CLOSED);
        }
        boolean cutOff = live.count > 0 || inTransit != 0;
        try {
            if (lifetime.scope().isAlive() || !cutOff) {
                ending = true;
                lifetime.close();
            }
        } finally {
            ending = false;
            if (!lifetime.scope().isAlive()) { // even if a cleanup action threw
                giveAll();
            }
        }
    }

    /** Gives all back. A free may tell of misuse, once of each. */
    private void giveAll() {
        RuntimeException misuse = null;
        while (inTransit != 0 || live.count > 0) {
            inTransit = inTransit == 0 ? live.pop() : inTransit;
            try {
                settle();
            } catch (IllegalArgumentException | IllegalStateException found) { // freed nothing
                if (misuse == null) {
                    misuse = found;
                } else {
                    misuse.addSuppressed(found);
                }
            }
        }
        LeakTracker.close(tracker);
        if (misuse != null) {
            throw misuse;
        }
    }
}
