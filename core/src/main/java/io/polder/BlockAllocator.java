package io.polder;

import io.polder.block.BlockSpace;
import io.polder.block.Blocks;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;

/**
 * Native memory in blocks: allocated by any thread, freed by any thread, at an address that stays.
 * What {@code malloc} and {@code free} are for C, without a call out of Java.
 *
 * {@snippet class="PoolSnippets" region="block"}
 *
 * <h2>Whose safety is whose</h2>
 *
 * <p>As with {@code malloc}, the program says when a block ends, and nothing keeps it from using an
 * address too long: what it reads then may be another's, and what it writes harms that. Segments
 * have bounds, which the JDK checks, and no lifetime: they stay accessible after their block was
 * freed. For lifetimes that are checked, there are arenas.
 *
 * <p>What is always checked: freeing, reallocating and {@link #usableSize} refuse an address at
 * which no block of this pool begins, or one of a part of memory in which nothing is used. A block
 * that is freed twice, while others beside it are used, is not found, nor is an address at which a
 * block of this size was never allocated while others beside it are; what another thread has freed
 * counts as used until its owner has taken it back.
 *
 * <p>With {@link MemoryPool.Builder#checkBlocks}, or system property {@code
 * polder.blocks.check=on}, more is: a block that is freed or resized after it was freed, is an
 * {@link IllegalArgumentException}; one whose memory was written to after it was freed, or behind
 * its end, an {@link IllegalStateException}. Each names address, sizes and state, and where a block
 * was freed, the stack that freed it. What was written behind a block is found when it is freed,
 * which it is not then, but can be again; what was written after it was freed, before its memory is
 * used again, by the allocation that would use it, or by the next allocation or free if a trim
 * found it; once the pool is closed, the log has that. What is freed waits for some hundreds of
 * frees of its size before it is used again; it goes back to the system as without checks, and
 * nothing is found from then on. {@link #usableSize} is exactly what was asked for.
 *
 * <h2>Segments and addresses</h2>
 *
 * <p>As a {@link SegmentAllocator} it allocates segments, of a block each. Who keeps numbers
 * instead has the same by address, which costs nothing but what the block costs. A block may be
 * allocated in one way and freed in the other.
 *
 * <h2>Sizes</h2>
 *
 * <p>Blocks are 16, 32, ... 128 bytes large, and then of eight sizes for each doubling, up to 1
 * MiB: a request is rounded up to the next one, by at most an eighth from 128 bytes on. One of more
 * than 64 KiB may get a freed block of the size after that, at most a quarter larger than what was
 * asked for. Larger ones have pages, in multiples of 2 MiB, as {@link MemoryPool#pages} has them.
 * Addresses are multiples of 16, or of what is asked for.
 *
 * <h2>Content</h2>
 *
 * <p>Unless zeros are asked for, a block holds what earlier blocks of this pool have left there,
 * segments of {@linkplain MemoryPool#openFreeing freeing arenas} among them, or
 * zeros. It never holds what other arenas, pages or heaps have left, nor what another pool has; and
 * none of these ever gets what a block has left.
 *
 * <h2>Threads</h2>
 *
 * <p>A platform thread allocates from memory of its own, and frees that without an atomic
 * instruction; what another thread frees comes back to it by one compare-and-set. Virtual threads
 * share the memory of a few. What a thread has that ends, another one takes over.
 *
 * <p>Memory in which nothing is used any more is given back after the decay of the pool, or at once
 * with {@link MemoryPool#trim}: that of threads which sleep, too, but for one that an error, such
 * as a {@link StackOverflowError}, left in the middle of a call to this: its memory can be given
 * back from its next call on. A block of up to 8 KiB keeps at most 64 KiB from being given back,
 * one of up to 64 KiB at most 512 KiB, as far as these were used, and a larger one only itself.
 *
 * <p>With {@linkplain MemoryPool.Builder#checkBlocks checks} the methods that allocate, reallocate
 * and free throw {@link IllegalStateException} also if this block, or one that was freed before,
 * was written beyond its end or after its free.
 *
 * <p>Thread-safe. The pool has it: {@link MemoryPool#blocks()}. When the pool is closed, nothing
 * can be allocated any more; blocks stay valid until they are freed, and the pool keeps its memory
 * until then.
 */
public final class BlockAllocator implements SegmentAllocator {
    /** What hands them out. */
    final Blocks blocks;

    /** Where they are. */
    final BlockSpace space;

    /**
     * What users have of blocks.
     *
     * @param blocks what hands them out
     * @param space where they are
     */
    BlockAllocator(Blocks blocks, BlockSpace space) {
        this.blocks = blocks;
        this.space = space;
    }

    /**
     * Allocates a block as a segment, which has its bounds and no lifetime. Its content is what
     * earlier blocks left, or zero: not always zero, as that of arenas is.
     *
     * @param bytes its size, 0 or more; with 0 it is a block of its own nevertheless
     * @param alignment a power of two, up to 2 MiB
     * @return a segment of exactly that size
     * @throws IllegalArgumentException if {@code bytes} is negative, or the alignment is not such
     * @throws OutOfMemoryError if a limit of the pool is in the way, or the operating system; says
     *     which, and nothing has changed
     * @throws IllegalStateException if the pool is closed
     */
    @Override
    public MemorySegment allocate(long bytes, long alignment) {
        return blocks.allocateSegment(bytes, alignment, false);
    }

    /**
     * Allocates a block as a segment that reads as zero; otherwise as {@link #allocate} does. So
     * {@code blocks::allocateZeroed} is a {@link SegmentAllocator} that clears.
     */
    public MemorySegment allocateZeroed(long bytes, long alignment) {
        return blocks.allocateSegment(bytes, alignment, true);
    }

    /**
     * Changes the size of the block of a segment, as {@link #reallocateAddress} does. The segment
     * must not be used any more, whether the block moved or not.
     *
     * @param segment a segment of a block of this pool, from its first byte on; {@link
     *     MemorySegment#NULL} for none, and this is {@link #allocate}
     * @param bytes the new size, 0 or more
     * @return a segment of exactly that size; what is added is not zero. At a multiple of 16: a
     *     larger alignment is lost if the block moves
     * @throws IllegalArgumentException if no block of this pool begins where the segment does, or
     *     {@code bytes} is negative
     * @throws OutOfMemoryError if there is no memory for it; then the block is as it was
     * @throws IllegalStateException if the pool is closed and the block would have to move
     */
    public MemorySegment reallocate(MemorySegment segment, long bytes) {
        return blocks.reallocateSegment(address(segment), bytes);
    }

    private static long address(MemorySegment segment) {
        if (!segment.isNative()) {
            throw new IllegalArgumentException(
                    "a segment must be of native memory to be a block: segment=" + segment);
        }
        return segment.address();
    }

    /**
     * Frees the block of a segment, as {@link #freeAddress} does.
     *
     * @param segment a segment of a block of this pool, from its first byte on
     * @throws IllegalArgumentException if no block of this pool begins where the segment does
     */
    public void free(MemorySegment segment) {
        blocks.free(address(segment));
    }

    /**
     * Allocates a block by its address; otherwise as {@link #allocate} does.
     *
     * @param bytes its size, 0 or more
     * @return its address, a multiple of 16
     * @throws IllegalArgumentException if {@code bytes} is negative
     */
    public long allocateAddress(long bytes) {
        return blocks.allocate(bytes);
    }

    /**
     * Allocates a block at a multiple of an alignment; otherwise as {@link #allocateAddress(long)}
     * does.
     *
     * @param bytes its size, 0 or more
     * @param alignment a power of two, up to 2 MiB
     * @throws IllegalArgumentException if {@code bytes} is negative, or the alignment is not such
     */
    public long allocateAddress(long bytes, long alignment) {
        return blocks.allocate(bytes, alignment, false);
    }

    /**
     * Allocates a block that reads as zero; otherwise as {@link #allocateAddress(long, long)} does.
     */
    public long allocateZeroedAddress(long bytes, long alignment) {
        return blocks.allocate(bytes, alignment, true);
    }

    /**
     * Changes the size of a block: in place where it can be; otherwise it is moved to another one,
     * with its content as far as it fits, and freed. One that shrinks to less than half of its size
     * moves if there is memory for a smaller one and the pool is open, and stays where it is if
     * not: shrinking is never refused.
     *
     * @param address a block of this pool; 0 for none, and this is {@link #allocateAddress(long)}
     * @param bytes the new size, 0 or more
     * @return where the block is then; what is added is not zero. A multiple of 16: a larger
     *     alignment is lost if the block moves
     * @throws IllegalArgumentException if no block of this pool begins there, or {@code bytes} is
     *     negative
     * @throws OutOfMemoryError if there is no memory for it; then the block is as it was
     * @throws IllegalStateException if the pool is closed and the block would have to move
     */
    public long reallocateAddress(long address, long bytes) {
        return blocks.reallocate(address, bytes);
    }

    /**
     * Frees a block. Any thread may, also after the pool was closed, and in a shutdown hook.
     *
     * @param address a block of this pool; not 0, which C's {@code free} takes
     * @throws IllegalArgumentException if no block of this pool begins there
     */
    public void freeAddress(long address) {
        blocks.free(address);
    }

    /**
     * How many bytes of a block may be used: as many as were asked for, or some more.
     *
     * @param address a block of this pool
     * @throws IllegalArgumentException if no block of this pool begins there
     */
    public long usableSize(long address) {
        return blocks.usableSize(address);
    }
}
