package io.polder.block;

import io.polder.chunk.Chunk;
import io.polder.chunk.ChunkLevel;
import io.polder.chunk.ChunkSpace;

import org.jspecify.annotations.Nullable;

/**
 * The spans that no thread has: nothing in them is used, and they keep their chunks for a while.
 *
 * <pre>{@code
 *   first[level]  -->  span --> span --> idle --> idle        who came last is taken first
 *
 *   going         -->  span --> span  -->  a batch of chunks  -->  ChunkSpace
 * }</pre>
 *
 * <p>What is here was used and is not zero, and who takes it does not mind. Chunks are given back
 * as they are, unread and uncleared, and uncommitted on the way. That is at the second tick after a
 * span came, with a trim, and where a limit is in the way of anybody.
 *
 * <p>Invariants: each span here has a chunk, is marked {@link Span#empty}, is in the map, and has
 * nothing carved.
 *
 * <p><b>Errors.</b> A span is added or taken by stores, after which nothing is called. What goes to
 * chunks stands in {@link #going} or in the batch until it is there.
 *
 * <p>Thread-safe: one lock, held for a few stores; another for whoever gives back, so that they are
 * one at a time.
 */
final class EmptySpans {
    /** So many go at a time: system calls are few, and others who want chunks wait little. */
    private static final int BATCH = 64;

    private final ChunkSpace chunks;
    final SpanMap map;
    final @Nullable Span[] first = new @Nullable Span[ChunkLevel.COUNT];
    int count;

    /** What leaves; guarded by {@link #givingBack}, and so is what follows. */
    private @Nullable Span going;

    /** The chunks of a batch: those that are not {@link Chunk#NONE} are to be given. */
    private final long[] batch = new long[BATCH];

    private final long[] dirtyBytes = new long[BATCH];
    private int batchCount;

    /** How many have gone so far that may have had memory. */
    private int gone;

    private int batchWithMemory;

    private final Object givingBack = new Object();

    EmptySpans(ChunkSpace chunks, SpanMap map) {
        this.chunks = chunks;
        this.map = map;
    }

    /** Keeps a span; one that is here already is left alone. */
    synchronized void add(Span span) {
        if (!span.empty) {
            int level = (int) (span.chunk & Chunk.LEVEL_MASK);
            span.idle = false;
            span.next = first[level];
            span.empty = true;
            first[level] = span;
            count++;
        }
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
            Span span = first[level];
            if (span != null) {
                first[level] = span.next;
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
            for (int level = 0; level < first.length; level++) {
                long _ = giveAll();
                going = idleOf(level);
            }
            long _ = giveAll();
        }
        return count() > 0;
    }

    /** Gives all back; returns how many of them may have had memory. */
    int drain() {
        synchronized (givingBack) {
            int before = gone;
            long _ = uncommit(Long.MAX_VALUE);
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
            long done = giveAll();
            while (done < wantedBytes) {
                for (int taken = 0; taken < BATCH; taken++) {
                    if (!takeToGo()) {
                        return done + giveAll();
                    }
                }
                done += giveAll();
            }
            return done;
        }
    }

    /** Gives back what an error kept from it, which may be known to the map in part. */
    void reclaim() {
        synchronized (givingBack) {
            long _ = giveAll();
        }
    }

    /** Has the idle ones of a level leave; the others are idle from now on. */
    private synchronized @Nullable Span idleOf(int level) {
        Span before = null;
        Span span = first[level];
        while (span != null && !span.idle) {
            span.idle = true;
            before = span;
            span = span.next;
        }
        int idle = 0;
        for (Span each = span; each != null; each = each.next) {
            idle++;
        }
        if (before == null) {
            first[level] = null;
        } else {
            before.next = null;
        }
        count -= idle;
        return span;
    }

    /** Has one leave, of the largest that there are. */
    private synchronized boolean takeToGo() {
        for (int level = 0; level < first.length; level++) {
            Span span = first[level];
            if (span != null) {
                first[level] = span.next;
                count--;
                span.next = going;
                going = span;
                return true;
            }
        }
        return false;
    }

    /** Gives what leaves; returns how many bytes were uncommitted. */
    private long giveAll() {
        long done = 0;
        while (batchCount > 0 || going != null) {
            if (batchCount == 0) {
                fillBatch();
            }
            done += chunks.give(batch, dirtyBytes, batchCount);
            gone += batchWithMemory;
            batchCount = 0;
        }
        return done;
    }

    private void fillBatch() {
        int filled = 0;
        int withMemory = 0;
        Span span = going;
        while (span != null && filled < BATCH) {
            map.remove(span);
            batch[filled] = span.chunk;
            dirtyBytes[filled] = span.dirtyBytes;
            withMemory += span.committedBytes + span.dirtyBytes > 0 ? 1 : 0;
            filled++;
            span = span.next;
        }
        batchWithMemory = withMemory;
        batchCount = filled;
        going = span;
    }
}
