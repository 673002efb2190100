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
 * }</pre>
 *
 * <p>What is here was used and is not zero, and who takes it does not mind. Chunks are given back
 * as they are, unread and uncleared. That is at the second tick after a span came, which uncommits
 * them as well; with a trim, and where a limit is in the way of anybody. Then they are uncommitted
 * batch by batch. Otherwise the next owner would clear them, which takes longer, and brings memory
 * to what nobody touched.
 *
 * <p>Invariants: each span here has a chunk, is marked {@link Span#empty}, is in the map, and has
 * nothing carved.
 *
 * <p><b>Errors.</b> A span is added or taken by stores, after which nothing is called. One that an
 * error meets on its way to chunks is {@link Lost}.
 *
 * <p>Thread-safe: one lock, held for a few stores; another for threads that give back. So one that
 * has given all back knows that no other has a span in hand, which is neither here nor free.
 */
final class EmptySpans {
    /** So many go at a time: others may take them until they are uncommitted. */
    private static final int BATCH = 64;

    private final ChunkSpace chunks;
    final SpanMap map;
    private final Lost lost;
    final @Nullable Span[] fresh = new @Nullable Span[ChunkLevel.COUNT];
    final @Nullable Span[] idle = new @Nullable Span[ChunkLevel.COUNT];
    int count;

    private final Object givingBack = new Object();

    /** How many spans have gone so far that may have had memory; guarded by {@link #givingBack}. */
    private int gone;

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
        Span span = remove(fresh, idle, largest, smallest);
        if (span != null) {
            span.next = null;
            span.empty = false;
        }
        return span;
    }

    /** How many there are, without those on their way to chunks. */
    synchronized int count() {
        return count;
    }

    /**
     * Gives back what has been here since the last tick; a tick of chunks that follows uncommits
     * it.
     *
     * @return whether others are here still
     */
    boolean tick() {
        synchronized (givingBack) {
            long _ = give(true, Integer.MAX_VALUE);
            return age();
        }
    }

    /**
     * Gives back so many that others have room, and has chunks uncommit as much at once.
     *
     * @param wantedBytes as much is uncommitted at least, if there is
     * @return how many bytes were
     */
    long uncommit(long wantedBytes) {
        synchronized (givingBack) {
            long done = 0;
            for (int left = count(); left > 0 && done < wantedBytes; left -= BATCH) {
                done += chunks.uncommitFree(give(false, BATCH));
            }
            return done;
        }
    }

    /** Does that with all that is here now; returns how many of them may have had memory. */
    int drain() {
        synchronized (givingBack) {
            int before = gone;
            long _ = uncommit(Long.MAX_VALUE);
            return gone - before;
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

    /** Gives back so many at most; returns how many bytes of them may have memory. */
    private long give(boolean onlyIdle, int most) {
        long bytes = 0;
        for (int left = Math.min(most, count()); left > 0; left--) {
            Span span = remove(idle, onlyIdle ? idle : fresh, ChunkLevel.ROOT, ChunkLevel.SMALLEST);
            if (span == null) {
                return bytes;
            }
            try {
                long itsBytes = Math.max(span.committedBytes, span.dirtyBytes);
                bytes += itsBytes;
                gone += itsBytes > 0 ? 1 : 0;
                map.remove(span);
                chunks.giveAsIs(span.chunk, span.dirtyBytes, onlyIdle);
            } catch (Throwable failure) {
                lost.chunkBytes += ChunkLevel.ROOT_BYTES >> (span.chunk & Chunk.LEVEL_MASK);
                span.chunk = Chunk.NONE;
                throw failure;
            }
        }
        return bytes;
    }

    /**
     * Removes one of the largest; it stays marked as empty.
     *
     * @param first where one is taken, if there is one of that level
     * @param second where one is taken otherwise
     */
    private synchronized @Nullable Span remove(
            @Nullable Span[] first, @Nullable Span[] second, int largest, int smallest) {
        for (int level = largest; level <= smallest; level++) {
            @Nullable Span[] list = first[level] != null ? first : second;
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
