package io.polder.arena.recycling;

import static io.polder.arena.recycling.BlockTable.FREE;
import static io.polder.arena.recycling.BlockTable.LIVE;
import static io.polder.arena.recycling.BlockTable.NONE;
import static io.polder.arena.recycling.BlockTable.RECENT;

import io.polder.arena.Arguments;
import io.polder.memory.Zeroing;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * Memory of an arena that is used again while the arena is open.
 *
 * <pre>{@code
 *                              allocate, of the same extent
 *                       +------------------------------------+
 *                       v                                    |
 *   the arena ------> LIVE ----------- free, zeroed ------> RECENT   at most one
 *            allocate   ^                                    |  the next free, or
 *                       |                                    v  an allocate that differs
 *                       +------- allocate, best fit ------- FREE     coalesced with its neighbours
 * }</pre>
 *
 * <p>A request takes the best fitting free block, from its front as far as the alignment lets it;
 * what is left before and behind stays free. Only if no free block can hold the request does the
 * arena allocate new memory. Coalescing is deferred by one block: a block that is freed and asked
 * for again at once comes back from where it was.
 *
 * <p>Invariants: {@code allocated + free == what the arena handed out}; free and recent blocks read
 * as zero; of two neighbours at most one is free; at most one block is recent.
 *
 * <p>Failure: a request makes room for the bookkeeping before it changes anything, and asks the
 * arena before it books anything. So when memory or heap runs out, nothing has changed.
 *
 * <p><b>Errors.</b> Which blocks are live, where and how large, is the truth, and one store decides
 * about each; all else follows from it, or helps to use memory again. {@code changing} is set while
 * a change is under way: the next call that finds it set rebuilds the index and the sums, and
 * forgets what was free. That memory comes back when the arena closes.
 *
 * <p>Where segments may not be made from addresses (native access is denied), {@link #free} makes
 * all its checks, but leaves the memory to the close of the arena.
 *
 * <p>Belongs to the thread that made it, which is checked.
 */
public final class Recycler {
    private static final String OTHER_THREAD = "Attempted access outside owning thread";
    private static final String CLOSED = "Already closed";

    /** A request makes at most a piece before and one behind what it takes. */
    private static final int NEW_BLOCKS_MAX = 2;

    private final Arena arena;
    private final MemorySegment.Scope scope;
    private final boolean recycles;
    private final Thread owner = Thread.currentThread();

    private final BlockTable blocks = new BlockTable();
    private final AddressIndex index = new AddressIndex(blocks);
    private final FreeBlocks free = new FreeBlocks(blocks);
    private int recent = NONE;

    private long allocatedBytes;
    private long allocatedCount;

    /** Whether a change has begun and not ended. */
    private boolean changing;

    /**
     * No memory yet. The running thread is the owner.
     *
     * @param arena where new memory comes from: it must read as zero and overlap nothing
     * @param recycles whether segments may be made from addresses
     */
    public Recycler(Arena arena, boolean recycles) {
        this.arena = arena;
        this.scope = arena.scope();
        this.recycles = recycles;
    }

    /**
     * Allocates memory that reads as zero.
     *
     * @throws OutOfMemoryError if no free block can hold it and the arena has no more; nothing has
     *     changed then
     */
    public MemorySegment allocate(long byteSize, long byteAlignment) {
        Arguments.checkAllocation(byteSize, byteAlignment);
        checkAccess();
        long extent = BlockTable.extent(byteSize);
        if (extent < 0) {
            throw new OutOfMemoryError("a size must fit the address space: byteSize=" + byteSize);
        }
        enter();
        blocks.makeRoom(NEW_BLOCKS_MAX);
        int[] more = index.makeRoom();
        if (more != null) {
            changing = true;
            index.grow(more);
            changing = false;
        }
        int last = recent;
        if (last != NONE) {
            if (blocks.size(last) == extent && (blocks.address(last) & (byteAlignment - 1)) == 0) {
                return reuse(last, byteSize, extent);
            }
            changing = true;
            coalesce();
            changing = false;
        }
        int block = free.bestFit(extent, byteAlignment);
        return block == NONE
                ? allocateNew(byteSize, extent, byteAlignment)
                : carve(block, byteSize, extent, byteAlignment);
    }

    private MemorySegment reuse(int block, long byteSize, long extent) {
        MemorySegment segment = segment(blocks.address(block), byteSize);
        changing = true;
        blocks.set(block, byteSize, LIVE); // decides
        recent = NONE;
        allocatedBytes += extent;
        allocatedCount++;
        changing = false;
        return segment;
    }

    private MemorySegment carve(int from, long byteSize, long extent, long alignment) {
        long start = FreeBlocks.alignUp(blocks.address(from), alignment);
        MemorySegment segment = segment(start, byteSize);
        int block = from;
        changing = true;
        free.remove(block);
        if (start > blocks.address(block)) {
            int upper = blocks.split(block, start);
            free.add(block);
            block = upper;
        }
        if (start + extent < blocks.end(block)) {
            free.add(blocks.split(block, start + extent));
        }
        return live(block, segment, byteSize, extent);
    }

    private MemorySegment allocateNew(long byteSize, long extent, long alignment) {
        MemorySegment whole = arena.allocate(extent, Math.max(alignment, BlockTable.GRAIN_BYTES));
        MemorySegment segment = byteSize == extent ? whole : whole.asSlice(0, byteSize);
        long address = whole.address();
        changing = true;
        int block = blocks.addNew(address, extent);
        return live(block, segment, byteSize, extent);
    }

    /** Ends the change in which a block is handed out that the index does not have. */
    private MemorySegment live(int block, MemorySegment segment, long byteSize, long extent) {
        index.add(block);
        blocks.set(block, byteSize, LIVE); // decides
        allocatedBytes += extent;
        allocatedCount++;
        changing = false;
        return segment;
    }

    /** To be called before anything else: so no call sees half a change. */
    private void enter() {
        if (changing) {
            recover();
        }
    }

    /** Rebuilds everything from the blocks that are live; may be cut off, and called again. */
    private void recover() {
        changing = true;
        recent = NONE;
        free.clear();
        index.clear();
        blocks.forgetAllButLive();
        long bytes = 0;
        long count = 0;
        for (int block = 1; block < blocks.next(); block++) {
            if (blocks.state(block) == LIVE) {
                index.add(block);
                bytes += blocks.extent(block);
                count++;
            }
        }
        allocatedBytes = bytes;
        allocatedCount = count;
        changing = false;
    }

    @SuppressWarnings("restricted") // the memory is the arena's, and free
    private MemorySegment segment(long address, long byteSize) {
        return MemorySegment.ofAddress(address).reinterpret(byteSize, arena, null);
    }

    /**
     * Frees a segment that {@link #allocate} returned.
     *
     * @throws IllegalArgumentException if it did not, or the segment was freed, or is a part of
     *     what was allocated; nothing has changed then
     */
    public void free(MemorySegment segment) {
        Objects.requireNonNull(segment);
        checkAccess();
        if (!segment.isNative() || !segment.scope().equals(scope)) {
            throw Misuse.foreign(segment);
        }
        enter();
        int block = index.find(segment.address());
        if (block == NONE
                || blocks.state(block) != LIVE
                || blocks.size(block) != segment.byteSize()) {
            throw Misuse.of(segment, blocks);
        }
        long extent = blocks.extent(block);
        if (!recycles) {
            changing = true;
            index.remove(block);
            blocks.detach(block);
            blocks.remove(block); // decides
            allocatedBytes -= extent;
            allocatedCount--;
            changing = false;
            return;
        }
        Zeroing.zeroExactly(blocks.address(block), extent);
        changing = true;
        coalesce();
        blocks.set(block, extent, RECENT); // decides
        recent = block;
        allocatedBytes -= extent;
        allocatedCount--;
        changing = false;
    }

    /** Makes the block that was freed last a free one, coalesced with those beside it. */
    private void coalesce() {
        int block = recent;
        if (block == NONE) {
            return;
        }
        recent = NONE;
        index.remove(block);
        blocks.set(block, blocks.size(block), FREE);
        int after = blocks.after(block);
        if (after != NONE && blocks.state(after) == FREE) {
            free.remove(after);
            blocks.merge(block, after);
        }
        int before = blocks.before(block);
        if (before != NONE && blocks.state(before) == FREE) {
            free.remove(before);
            blocks.merge(before, block);
            block = before;
        }
        free.add(block);
    }

    /** As the JDK does, which checks segments but not the memory they are made from. */
    private void checkAccess() {
        if (Thread.currentThread() != owner) {
            throw new WrongThreadException(OTHER_THREAD);
        }
        if (!scope.isAlive()) {
            throw new IllegalStateException(CLOSED);
        }
    }

    /** Bytes of the segments that are allocated, each rounded up to whole grains, at least one. */
    public long allocatedBytes() {
        checkAccess();
        enter();
        return allocatedBytes;
    }

    /** How many segments are allocated. */
    public long allocatedCount() {
        checkAccess();
        enter();
        return allocatedCount;
    }

    /** Bytes that were freed and are not allocated again. */
    public long freeBytes() {
        checkAccess();
        enter();
        return free.bytes() + (recent == NONE ? 0 : blocks.size(recent));
    }

    /** Checks the invariants. */
    public void verify() {
        enter();
        RecyclerCheck check = new RecyclerCheck(blocks, index, free);
        check.verify(recent);
        check.requireAllocated(allocatedBytes, allocatedCount);
    }
}
