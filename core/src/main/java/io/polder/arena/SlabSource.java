package io.polder.arena;

import io.polder.memory.MemoryProvider;
import io.polder.memory.OsCallException;

import java.util.Arrays;

/**
 * Where slabs come from and go to when no thread and no slot keeps them.
 *
 * <pre>{@code
 *   block    | slab | slab | ... | slab | not cut yet            |
 *            begin                      next                   end
 *   free     [ address, address, ... ]   a stack: the last given is the first taken
 * }</pre>
 *
 * <p>Memory is reserved a block at a time and cut from the front; an OS page of it is committed
 * when an arena first writes there. Slabs are never returned to the system here.
 *
 * <p>Invariants: {@code cut * slabBytes + (end - next) == reserved}, counting blocks used up as cut
 * to their end; free slabs read as zero; no slab is free twice; {@code free <= cut}.
 *
 * <p>Failure: where nothing can be reserved, {@link #take} returns 0 and the arena goes on with the
 * JDK's memory. The next attempts are then spaced out, twice as far after each failure in a row.
 *
 * <p>Thread-safe: one lock, the innermost; a system call under it once in a block.
 */
final class SlabSource {
    /** Two granules of 2 MiB: one mapping and one system call for hundreds of slabs. */
    static final long BLOCK_BYTES = 4L << 20;

    /**
     * After failures in a row, at most this many calls of {@link #take} pass before the next try.
     */
    static final int PAUSE_MAX = 1024;

    private static final long BLOCK_ALIGNMENT = 2L << 20;

    private final MemoryProvider provider;
    private final long slabBytes;

    private long next;
    private long end;
    private long reservedBytes;
    private long cut;
    private long[] free = new long[16];
    private int freeCount;

    private long failures;
    private int failuresInARow;
    private int pause;

    /**
     * A source without memory.
     *
     * @param provider where blocks are reserved
     * @param slabBytes the size of a slab, a power of two up to {@link #BLOCK_BYTES}
     */
    SlabSource(MemoryProvider provider, long slabBytes) {
        this.provider = provider;
        this.slabBytes = slabBytes;
    }

    /** Takes a slab if there is one without asking the system; returns 0 if not. */
    synchronized long tryTake() {
        if (freeCount > 0) {
            return free[--freeCount];
        }
        return cutSlab();
    }

    /** Takes a slab; returns 0 if the system has no memory. */
    synchronized long take() {
        long slab = tryTake();
        if (slab == 0 && reserveBlock()) {
            slab = cutSlab();
        }
        return slab;
    }

    /** Takes back a slab, which must read as zero. */
    synchronized void give(long slab) {
        if (freeCount == free.length) {
            free = Arrays.copyOf(free, 2 * freeCount);
        }
        free[freeCount++] = slab;
    }

    private long cutSlab() {
        if (next == end) {
            return 0;
        }
        long slab = next;
        next += slabBytes;
        cut++;
        return slab;
    }

    private boolean reserveBlock() {
        if (pause > 0) {
            pause--;
            return false;
        }
        try {
            long block = provider.reserve(BLOCK_BYTES, BLOCK_ALIGNMENT);
            // Slabs are touched a page at a time: a huge page would commit hundreds for one.
            provider.adviseHugePages(block, BLOCK_BYTES, false);
            next = block;
            end = block + BLOCK_BYTES;
            reservedBytes += BLOCK_BYTES;
            failuresInARow = 0;
            return true;
        } catch (OsCallException | OutOfMemoryError failure) {
            failures++;
            pause = Math.min(1 << Math.min(failuresInARow, 30), PAUSE_MAX) - 1;
            failuresInARow++;
            return false;
        }
    }

    /** A consistent view of the counts. */
    synchronized Counts counts() {
        return new Counts(reservedBytes, cut, freeCount, failures);
    }

    /** Checks the invariants. */
    synchronized void verify() {
        if (cut * slabBytes + (end - next) != reservedBytes || freeCount > cut) {
            throw new AssertionError(
                    "cut * slabBytes + (end - next) == reserved, free <= cut: cut="
                            + cut
                            + ", slabBytes="
                            + slabBytes
                            + ", next="
                            + Long.toHexString(next)
                            + ", end="
                            + Long.toHexString(end)
                            + ", reserved="
                            + reservedBytes
                            + ", free="
                            + freeCount);
        }
        long[] sorted = Arrays.copyOf(free, freeCount);
        Arrays.sort(sorted);
        for (int i = 1; i < sorted.length; i++) {
            if (sorted[i] == sorted[i - 1]) {
                throw new AssertionError(
                        "no slab is free twice: slab=" + Long.toHexString(sorted[i]));
            }
        }
    }

    /**
     * Counts of one moment.
     *
     * @param reservedBytes address space of all blocks
     * @param cut slabs cut so far; they exist from then on
     * @param free slabs that nobody keeps
     * @param failures reservations that failed
     */
    record Counts(long reservedBytes, long cut, long free, long failures) {}
}
