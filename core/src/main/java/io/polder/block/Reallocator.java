package io.polder.block;

import static io.polder.memory.Zeroing.ADDRESS_SPACE;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;

/**
 * Changes the size of blocks: where they must, they move. One that has a span, or pages, to itself
 * grows where it is if what lies behind it is free. Where it must move all the same, it gets one
 * with room behind it: addresses, or memory where these are limited, or memory is short.
 *
 * <p><b>Errors.</b> The free of the block that moves decides: what throws before has moved nothing.
 * The block that it was to move to is freed then, or {@link Lost}.
 *
 * <p>Thread-safe.
 */
record Reallocator(Blocks blocks, BlockSpace space) {
    /** A block that shrinks to less than this part of itself moves to a smaller one. */
    private static final int SHRINK_SHARE = 2;

    /** The part of what is asked for that a large block gets as well, where addresses are few. */
    private static final int GROWTH_SHARE = 8;

    /**
     * Changes the size of a block, in place where it can be.
     *
     * @param size what it has
     * @param held how much of that was asked for, where that is known
     * @param bytes what it is to have at least
     * @param made gets a segment of so many bytes; null if none is wanted
     * @return where it is then
     */
    long resize(
            long block,
            long size,
            long held,
            long bytes,
            @Nullable MemorySegment @Nullable [] made) {
        if (bytes < 0) {
            throw new IllegalArgumentException("0 <= bytes: bytes=" + bytes);
        }
        boolean mayHaveMore = blocks == space; // what is checked has what was asked for
        boolean mayGrow = mayHaveMore && Carving.isLone(size);
        if (bytes <= size ? staysInPlace(size, bytes) : mayGrow && space.extend(block, bytes)) {
            blocks.use(block, bytes, made);
            return block;
        }
        long wanted = mayHaveMore ? roomy(size, bytes) : bytes;
        long copied = Math.min(held, bytes);
        while (true) {
            try {
                return move(block, wanted, copied, bytes, made);
            } catch (OutOfMemoryError | IllegalStateException refused) {
                boolean isMemory = refused instanceof OutOfMemoryError;
                boolean isLast = wanted == bytes;
                boolean fits =
                        bytes <= size
                                ? isMemory || space.closed // what shrinks fits where it is
                                : isMemory && isLast && mayGrow && space.extend(block, bytes);
                if (fits) {
                    blocks.use(block, bytes, made);
                    return block;
                }
                if (!isMemory || isLast) {
                    throw refused;
                }
            }
            wanted = bytes; // without the room to grow
        }
    }

    /** Whether a block of a size is small enough for so many bytes. */
    private static boolean staysInPlace(long size, long bytes) {
        return size == SizeClass.GRAIN_BYTES || bytes >= size / SHRINK_SHARE;
    }

    /** What a block gets that has no room of addresses: a large one that grows gets more. */
    private long roomy(long size, long bytes) {
        if (size <= SizeClass.BYTES_MAX || bytes <= size) {
            return bytes;
        }
        if (space.growing.roomy() && space.chunks.isAmple()) {
            return bytes;
        }
        return Math.max(
                bytes, Math.min(bytes + bytes / GROWTH_SHARE, SlowPath.ADDRESS_SPACE_BYTES));
    }

    /**
     * Allocates a block, copies to it what is in another one, and frees that; if anything is
     * thrown, the other one is as it was.
     *
     * @param bytes the size of the new block
     * @param copied how much is copied
     * @param asked how much of the new block was asked for
     * @param made gets a segment of what was asked for; null if none is wanted
     * @return the new block
     * @throws OutOfMemoryError if there is no memory for it. What the caller can do without, since
     *     the block shrinks, or would get more than was asked for, is refused quietly
     */
    private long move(
            long block,
            long bytes,
            long copied,
            long asked,
            @Nullable MemorySegment @Nullable [] made) {
        boolean needed = bytes == asked && copied < asked;
        boolean again = needed && blocks == space && Carving.isLone(copied);
        long target =
                again
                        ? space.allocateToGrow(bytes)
                        : needed ? blocks.allocate(bytes) : blocks.allocateQuietly(bytes);
        try {
            MemorySegment.copy(ADDRESS_SPACE, block, ADDRESS_SPACE, target, copied);
            blocks.use(target, asked, made);
            blocks.free(block);
            return target;
        } catch (Throwable failure) {
            try {
                blocks.takeBack(target, failure);
            } catch (Throwable notFreed) {
                blocks.lost.blocks++;
            }
            throw failure;
        }
    }
}
