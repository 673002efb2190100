package io.polder.arena;

import io.polder.memory.MemoryProvider;
import io.polder.memory.Providers;
import io.polder.memory.Zeroing;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Native memory for the states of tests, a little for each, reused when an arbiter is done with it.
 *
 * <pre>{@code
 *   | block: SLABS slabs of SLAB_BYTES | block | block | ...    one reservation
 * }</pre>
 *
 * <p>A space of chunks believes that it got a root chunk; a test takes only the first {@link
 * #SLABS} slabs of it, or as much in smaller chunks, so blocks may lie as near as they do.
 *
 * <p>Invariant: a block that no state holds reads as zero.
 *
 * <p>Thread-safe.
 */
public final class Blocks {
    /** The least there is: states are many. */
    public static final long SLAB_BYTES = SlabSettings.BYTES_MIN;

    /** More than any test takes. */
    public static final int SLABS = 4;

    /** What {@link #dirty} writes; no byte of it is zero. */
    public static final long DIRT = 0xA5A5_A5A5_A5A5_A5A5L;

    /** Address space only: room for every state that jcstress keeps at one time. */
    private static final long RESERVED_BYTES = 256L << 20;

    private static final MemoryProvider PROVIDER = Providers.choose().provider();
    private static final Queue<Long> FREE = new ConcurrentLinkedQueue<>();
    private static final long FIRST = PROVIDER.reserve(RESERVED_BYTES, 2L << 20);
    private static final MemorySegment MEMORY =
            Zeroing.ADDRESS_SPACE.asSlice(FIRST, RESERVED_BYTES);
    private static long next = FIRST;

    private Blocks() {}

    /** Takes a block and returns its address. */
    public static long take() {
        Long free = FREE.poll();
        return free != null ? free : cut();
    }

    private static synchronized long cut() {
        long block = next;
        next += SLABS * SLAB_BYTES;
        if (next > FIRST + RESERVED_BYTES) {
            throw new AssertionError("blocks are given back by the arbiters: next=" + next);
        }
        return block;
    }

    /** Gives back a block, clean or not. */
    public static void give(long block) {
        for (long offset = 0; offset < SLABS * SLAB_BYTES; offset += Long.BYTES) {
            write(block + offset, 0);
        }
        FREE.add(block);
    }

    /** Fills a slab with {@link #DIRT}. */
    public static void dirty(long slab) {
        for (long offset = 0; offset < SLAB_BYTES; offset += Long.BYTES) {
            write(slab + offset, DIRT);
        }
    }

    /** Whether a slab reads as zero. */
    public static boolean isZero(long slab) {
        long all = 0;
        for (long offset = 0; offset < SLAB_BYTES; offset += Long.BYTES) {
            all |= read(slab + offset);
        }
        return all == 0;
    }

    /** The first eight bytes of a slab. */
    public static long first(long slab) {
        return read(slab);
    }

    /** The last eight bytes of a slab. */
    public static long last(long slab) {
        return read(slab + SLAB_BYTES - Long.BYTES);
    }

    private static long read(long address) {
        return MEMORY.get(ValueLayout.JAVA_LONG, address - FIRST);
    }

    private static void write(long address, long value) {
        MEMORY.set(ValueLayout.JAVA_LONG, address - FIRST, value);
    }
}
