package io.polder.block;

import static io.polder.memory.Zeroing.ADDRESS_SPACE;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;

/**
 * Blocks that change their size: where they must, they move.
 *
 * <p>A move that ends, well or not, is done by plain stores, which need no stack: the block that is
 * moved to is {@link InTransit} until then.
 *
 * <p>Thread-safe.
 */
final class Moves {
    /** A block that shrinks to less than this part of itself moves to a smaller one. */
    private static final int SHRINK_SHARE = 2;

    /** A large block that grows gets so much more than is asked for, as a part. */
    private static final int GROWTH_SHARE = 8;

    private final Blocks space;
    private final InTransit transit;

    Moves(Blocks space) {
        this.space = space;
        this.transit = new InTransit(space);
    }

    /**
     * Changes the size of a block, in place where it can be.
     *
     * @param size what it has
     * @param bytes what it is to have at least
     * @param made gets a segment of so many bytes; null if none is wanted
     * @return where it is then
     */
    long resize(long block, long size, long bytes, @Nullable MemorySegment @Nullable [] made) {
        if (bytes < 0) {
            throw new IllegalArgumentException("0 <= bytes: bytes=" + bytes);
        }
        if (bytes <= size && staysInPlace(size, bytes)) {
            segment(block, bytes, made);
            return block;
        }
        if (size >= SizeClass.BYTES_MAX && bytes > size) {
            return grow(block, size, bytes, made);
        }
        if (bytes > size) {
            return move(block, bytes, size, bytes, made);
        }
        try {
            return move(block, bytes, bytes, bytes, made);
        } catch (OutOfMemoryError full) {
            segment(block, bytes, made); // what shrinks fits where it is
            return block;
        }
    }

    /** Makes a segment of a block, where one is wanted. */
    static void segment(long block, long bytes, @Nullable MemorySegment @Nullable [] made) {
        if (made != null) {
            made[0] = ADDRESS_SPACE.asSlice(block, bytes);
        }
    }

    /** Moves a large block to one with room to grow, or where there is none, to one that does. */
    private long grow(
            long block, long size, long bytes, @Nullable MemorySegment @Nullable [] made) {
        long roomy = withRoom(bytes);
        if (roomy > bytes) {
            try {
                return move(block, roomy, size, bytes, made);
            } catch (OutOfMemoryError tooMuch) {
                // What was asked for may be there.
            }
        }
        return move(block, bytes, size, bytes, made);
    }

    /** Whether a block of a size is small enough for so many bytes. */
    static boolean staysInPlace(long size, long bytes) {
        return size == SizeClass.GRAIN_BYTES || bytes >= size / SHRINK_SHARE;
    }

    private static long withRoom(long bytes) {
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
     * @param made gets a segment of so much; null if none is wanted
     * @return the new block
     * @throws OutOfMemoryError if there is no memory for it. What the caller can do without, since
     *     the block shrinks, or would get more than was asked for, is refused quietly
     */
    long move(
            long block,
            long bytes,
            long copied,
            long asked,
            @Nullable MemorySegment @Nullable [] made) {
        int number = transit.take();
        long[] words = transit.parts[number >>> InTransit.PART_BITS];
        int at = number & InTransit.PART_MASK;
        boolean moved = false;
        try {
            boolean needed = bytes == asked && copied < asked;
            long target = needed ? space.allocate(bytes) : space.allocateQuietly(bytes);
            words[at] = target | InTransit.MOVING;
            MemorySegment.copy(ADDRESS_SPACE, block, ADDRESS_SPACE, target, copied);
            segment(target, asked, made);
            space.free(block);
            words[at] = 0;
            moved = true;
            return target;
        } finally {
            if (!moved) {
                words[at] = (words[at] & ~InTransit.MOVING) | InTransit.LEFT;
                transit.owes = true;
            }
        }
    }

    /** Frees what moves left that were cut off. */
    void reclaim() {
        transit.reclaim();
    }
}
