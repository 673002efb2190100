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
 *   going         -->  span --> span                          on their way to chunks
 * }</pre>
 *
 * <p>What is here was used and is not zero, and who takes it does not mind: a chunk is cleared when
 * it is given back, not before. That is at the second tick after it came, with a trim, and where a
 * limit is in the way of anybody.
 *
 * <p>Invariants: each span here has a chunk, is marked {@link Span#empty}, is in the map, and has
 * nothing carved.
 *
 * <p><b>Errors.</b> A span is added or taken by stores, after which nothing is called. What goes to
 * chunks stands in {@link #going} until it is there.
 *
 * <p>Thread-safe: one lock, held for a few stores; another for whoever gives back, so that they are
 * one at a time.
 */
final class EmptySpans {
    private final ChunkSpace chunks;
    private final SpanMap map;
    private final @Nullable Span[] first = new @Nullable Span[ChunkLevel.COUNT];
    private int count;

    /** Guarded by {@link #givingBack}. */
    private @Nullable Span going;

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
        int _ = giveBack(true);
        return count() > 0;
    }

    /** Gives all back; returns how many. */
    int drain() {
        return giveBack(false);
    }

    /** Gives back what an error kept from it, which may be known to the map in part. */
    void reclaim() {
        synchronized (givingBack) {
            int _ = giveAll();
        }
    }

    private int giveBack(boolean onlyIdle) {
        int given = 0;
        synchronized (givingBack) {
            for (int level = 0; level < first.length; level++) {
                given += giveAll();
                goFrom(level, onlyIdle);
            }
            return given + giveAll();
        }
    }

    /** Has those of a level go, from the first idle one on; the others are idle from now on. */
    private synchronized void goFrom(int level, boolean onlyIdle) {
        Span before = null;
        Span span = first[level];
        while (span != null && onlyIdle && !span.idle) {
            span.idle = true;
            before = span;
            span = span.next;
        }
        if (span == null) {
            return;
        }
        int gone = 0;
        for (Span each = span; each != null; each = each.next) {
            gone++;
        }
        if (before == null) {
            first[level] = null;
        } else {
            before.next = null;
        }
        count -= gone;
        going = span;
    }

    private int giveAll() {
        int given = 0;
        for (Span span = going; span != null; span = going) {
            if (span.chunk != Chunk.NONE) {
                map.remove(span);
                boolean _ = chunks.give(span.chunk, span.dirtyBytes);
                span.chunk = Chunk.NONE;
            }
            going = span.next;
            given++;
        }
        return given;
    }

    /** Checks the invariants; only while nothing is added or taken. */
    synchronized void verify() {
        int seen = 0;
        for (int level = 0; level < first.length; level++) {
            for (Span span = first[level]; span != null; span = span.next) {
                seen++;
                boolean holds =
                        span.empty
                                && Chunk.level(span.chunk) == level
                                && span.carvedBytes == 0
                                && span.used == 0
                                && span.dirtyBytes <= span.committedBytes
                                && map.find(span.base) == span;
                if (!holds) {
                    throw new AssertionError("an empty span has nothing carved: " + span);
                }
            }
        }
        if (seen != count) {
            throw new AssertionError("count is what there is: seen=" + seen + ", count=" + count);
        }
    }
}
