package io.polder.block;

import static io.polder.memory.Zeroing.ADDRESS_SPACE;

import io.polder.leak.LeakRecord;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;

/**
 * What hands out blocks: a {@link BlockSpace}, or what stands before one and looks at what passes.
 *
 * <p>A class and no interface: as long as one subclass is loaded, compilers take its methods for
 * these. So nobody but a subclass itself says that it is one: to verify that, the JVM would load it
 * before it is needed.
 *
 * <p>Thread-safe.
 */
public abstract sealed class Blocks permits BlockSpace, CheckedBlocks, WatchedBlocks {
    final Lost lost;

    /** Blocks of a space, which has one {@code lost} for all of what stands before it. */
    Blocks(Lost lost) {
        this.lost = lost;
    }

    /**
     * Allocates a block.
     *
     * @param bytes its size, 0 or more
     * @return its address, a multiple of {@link SizeClass#GRAIN_BYTES}
     * @throws IllegalArgumentException if {@code bytes} is negative
     * @throws OutOfMemoryError if there is no memory for it
     * @throws IllegalStateException if the space is closed
     */
    public long allocate(long bytes) {
        return allocate(bytes, SizeClass.GRAIN_BYTES, false);
    }

    /**
     * Allocates a block that the caller can do without: it is refused where room would have to be
     * made for it, and nobody is told.
     */
    long allocateQuietly(long bytes) {
        return allocate(bytes);
    }

    /**
     * Allocates a block whose address is a multiple of an alignment.
     *
     * @param bytes its size, 0 or more
     * @param alignment a power of two, at most {@link io.polder.page.space.PageSpace#GRANULE_BYTES}
     * @param zero whether it must read as zero, in all of its usable size
     * @throws IllegalArgumentException if {@code bytes} is negative, or the alignment not as said
     */
    public abstract long allocate(long bytes, long alignment, boolean zero);

    /**
     * Allocates a block as a segment, which has its bounds and no lifetime; otherwise as {@link
     * #allocate(long, long, boolean)} does.
     */
    public final MemorySegment allocateSegment(long bytes, long alignment, boolean zero) {
        long block = allocate(bytes, alignment, zero);
        try {
            return ADDRESS_SPACE.asSlice(block, bytes);
        } catch (Throwable failure) {
            try {
                takeBack(block, failure);
            } catch (Throwable notFreed) {
                lost.blocks++;
            }
            throw failure;
        }
    }

    /**
     * Frees a block that nobody gets, after a failure. Where that tells of misuse, which is with
     * checks and has freed nothing, the failure tells of it. If this throws, the block is lost.
     */
    final void takeBack(long block, Throwable failure) {
        try {
            free(block);
        } catch (IllegalStateException misuse) {
            failure.addSuppressed(misuse);
            takeBack(block, failure);
        }
    }

    /**
     * Frees a block. If this throws, it has freed nothing.
     *
     * @param address what was returned when it was allocated
     * @throws IllegalArgumentException if no block of this space begins there, or none that may be
     *     used
     */
    public abstract void free(long address);

    /**
     * How much may be used of a block: at least what was asked for.
     *
     * @throws IllegalArgumentException if no block of this space begins there
     */
    public abstract long usableSize(long address);

    /**
     * Changes the size of a block, in place where it can be; otherwise it moves, with what is in it
     * as far as it fits.
     *
     * @param address a block; 0 for none, and this is {@link #allocate(long)}
     * @param bytes its new size, 0 or more
     * @return where it is then
     * @throws IllegalArgumentException if no block of this space begins there, or {@code bytes} is
     *     negative; then nothing has changed
     * @throws OutOfMemoryError if there is no memory for it; then the block is as it was, though
     *     more of it may be usable
     */
    public final long reallocate(long address, long bytes) {
        return address == 0 ? allocate(bytes) : resize(address, bytes, null);
    }

    /** Changes the size of a block, as the method above does; a segment of exactly that size. */
    public final MemorySegment reallocateSegment(long address, long bytes) {
        if (address == 0) {
            return allocateSegment(bytes, SizeClass.GRAIN_BYTES, false);
        }
        @Nullable MemorySegment[] made = new @Nullable MemorySegment[1];
        long _ = resize(address, bytes, made);
        return Objects.requireNonNull(made[0]);
    }

    /**
     * Changes the size of a block.
     *
     * @param made gets a segment as its only element, before anything is decided; null if none is
     *     wanted
     */
    abstract long resize(long address, long bytes, @Nullable MemorySegment @Nullable [] made);

    /** Uses a block for so many bytes from now on; makes a segment of it, where one is wanted. */
    void use(long block, long bytes, @Nullable MemorySegment @Nullable [] made) {
        if (made != null) {
            made[0] = ADDRESS_SPACE.asSlice(block, bytes);
        }
    }

    /** Whether some are watched, by sample or all. */
    public boolean areWatched() {
        return false;
    }

    /** Those that are used and watched, one record for all of one stack, the most bytes first. */
    public List<LeakRecord> byStack() {
        return List.of();
    }
}
