package io.polder.block;

import io.polder.chunk.Chunk;
import io.polder.chunk.ChunkLevel;
import io.polder.chunk.ChunkSpace;

import org.jspecify.annotations.Nullable;

/**
 * The spans that no thread has: nothing in them is used, and they keep their chunks for a while.
 *
 * <pre>{@code
 *   fresh[level]  -->  span --> span      came since the last tick; the last one is taken first
 *   idle[level]   -->  span --> span      were here at the last tick
 *
 *   batch   chunk | chunk | ...           leave for ChunkSpace
 * }</pre>
 *
 * <p>What is here was used and is not zero, and who takes it does not mind. Chunks are given back
 * as they are, unread and uncleared, and uncommitted on the way. That is at the second tick after a
 * span came, with a trim, and where a limit is in the way of anybody.
 *
 * <p>Invariants: each span here has a chunk, is marked {@link Span#empty}, is in the map, and has
 * nothing carved.
 *
 * <p><b>Errors.</b> A span is added or taken by stores, after which nothing is called. A chunk that
 * an error kept from being given stays in the batch, with which the next one to give begins. A span
 * that an error meets on its way to the batch is {@link Lost}.
 *
 * <p>Thread-safe: one lock, held for a few stores; another for threads that give back, so that they
 * are one at a time.
 */
final class EmptySpans {
    /** So many go at a time: system calls are few, and others who want chunks wait little. */
    private static final int BATCH = 64;

    private final ChunkSpace chunks;
    final SpanMap map;
    private final Lost lost;
    final @Nullable Span[] fresh = new @Nullable Span[ChunkLevel.COUNT];
    final @Nullable Span[] idle = new @Nullable Span[ChunkLevel.COUNT];
    int count;

    /** The chunks of a batch, {@link Chunk#NONE} once given; guarded by {@link #givingBack}. */
    private final long[] batch = new long[BATCH];

    private final long[] dirtyBytes = new long[BATCH];
    private int batchCount;

    /** How many spans have gone so far that may have had memory; guarded as the batch is. */
    private int gone;

    private final Object givingBack = new Object();

    EmptySpans(ChunkSpace chunks, SpanMap map, Lost lost) {
        this.chunks = chunks;
        this.map = map;
        this.lost = lost;
    }

    /** Keeps a span. */
    synchronized void add(Span span) {
        int level = (int) (span.chunk & Chunk.LEVEL_MASK);
        span.next = fresh[level];
        span.empty = true;
        fresh[level] = span;
        count++;
    }

    /**
     * Removes a span and returns it.
     *
     * @param largest the level of the largest chunk that it may have; such are taken first
     * @param smallest the level of the smallest
     * @return null if there is none
     */
    synchronized @Nullable Span take(int largest, int smallest) {
        for (int level = largest; level <= smallest; level++) {
            @Nullable Span[] list = fresh[level] != null ? fresh : idle;
            Span span = list[level];
            if (span != null) {
                list[level] = span.next;
                span.next = null;
                span.empty = false;
                count--;
                return span;
            }
        }
        return null;
    }

    /** How many there are, without those on their way to chunks. */
    synchronized int count() {
        return count;
    }

    /**
     * Gives back what has been here since the last tick.
     *
     * @return whether others are here still
     */
    boolean tick() {
        synchronized (givingBack) {
            long _ = give(Long.MAX_VALUE, false);
            return age();
        }
    }

    /** Gives all back; returns how many of them may have had memory. */
    int drain() {
        synchronized (givingBack) {
            int before = gone;
            long _ = give(Long.MAX_VALUE, true);
            return gone - before;
        }
    }

    /**
     * Gives back so many that others have room.
     *
     * @param wantedBytes as much is uncommitted at least, if there is
     * @return how many bytes were
     */
    long uncommit(long wantedBytes) {
        synchronized (givingBack) {
            return give(wantedBytes, true);
        }
    }

    /** Makes all idle, after those that were have gone; returns whether there is any. */
    private synchronized boolean age() {
        for (int level = 0; level < fresh.length; level++) {
            idle[level] = fresh[level];
            fresh[level] = null;
        }
        return count > 0;
    }

    /** Gives back as much as is wanted, batch by batch; returns how many bytes were uncommitted. */
    private long give(long wantedBytes, boolean freshAsWell) {
        long done = 0;
        do {
            fillBatch(freshAsWell);
            if (batchCount == 0) {
                return done;
            }
            done += chunks.give(batch, dirtyBytes, batchCount);
            batchCount = 0;
        } while (done < wantedBytes);
        return done;
    }

    private void fillBatch(boolean freshAsWell) {
        while (batchCount < BATCH) {
            Span span = takeLargest(freshAsWell);
            if (span == null) {
                return;
            }
            boolean added = false;
            try {
                map.remove(span);
                gone += span.committedBytes + span.dirtyBytes > 0 ? 1 : 0;
                dirtyBytes[batchCount] = span.dirtyBytes;
                batch[batchCount] = span.chunk;
                batchCount++;
                added = true;
            } finally {
                if (!added) {
                    lost.chunkBytes += ChunkLevel.ROOT_BYTES >> (span.chunk & Chunk.LEVEL_MASK);
                    span.chunk = Chunk.NONE;
                }
            }
        }
    }

    /** Removes one of the largest, an idle one if there is; it stays marked as empty. */
    private synchronized @Nullable Span takeLargest(boolean freshAsWell) {
        for (int level = 0; level < fresh.length; level++) {
            @Nullable Span[] list = idle[level] == null && freshAsWell ? fresh : idle;
            Span span = list[level];
            if (span != null) {
                list[level] = span.next;
                count--;
                return span;
            }
        }
        return null;
    }
}
