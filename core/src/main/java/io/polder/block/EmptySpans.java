package io.polder.block;

import io.polder.chunk.Chunk;
import io.polder.chunk.ChunkLevel;
import io.polder.chunk.ChunkSpace;
import io.polder.memory.MemoryBudget;
import io.polder.page.space.Extent;
import io.polder.page.space.PageSpace;

import org.jspecify.annotations.Nullable;

/**
 * The spans that no thread has: nothing in them is used, and they keep their chunks, or the page of
 * a large block, for a while.
 *
 * <pre>{@code
 *   fresh[kind]  -->  span --> span      came since the last tick; the last one is taken first
 *   idle[kind]   -->  span --> span      were here at the last tick
 *
 *   kind          level of a chunk, from the largest | granules of a page, from the smallest
 * }</pre>
 *
 * <p>What is here was used and is not zero, and who takes it does not mind. Chunks are given back
 * as they are, unread and uncleared. That is at the second tick after a span came, which uncommits
 * them as well; with a trim, and where a limit is in the way of anybody. Then they are uncommitted
 * batch by batch. Otherwise the next owner would clear them, which takes longer, and brings memory
 * to what nobody touched. Where there are no addresses for a chunk, be it by a limit or the system,
 * all of them are given back at once: chunks of other levels are made of them.
 *
 * <p>Pages are kept as well: threads spend much more time in such a block than here. But only of
 * up to {@link #LARGEST_GRANULES} granules, and of {@link #KEPT_GRANULES_MAX} together.
 *
 * <p>Where a limit is in the way, owners keep what they have that is empty: the thread that asks
 * may hold the monitor of one. Chunks and pages are asked once more then, whatever thread gave
 * back: a tick may have been first, after they were asked.
 *
 * <p>Invariants: each span here has a chunk or a page, is marked {@link Span#empty}, and is in the
 * map; one with a chunk has nothing carved; {@code keptGranules} is what pages have.
 *
 * <p><b>Errors.</b> A span is added or taken by stores, after which nothing is called. One that an
 * error meets on its way to chunks or pages is {@link Lost}.
 *
 * <p>Thread-safe: one lock, held for a few stores; another for threads that give back. So one that
 * has given all back knows that no other has a span in hand, which is neither here nor free.
 */
final class EmptySpans implements MemoryBudget.Shrinker {
    /** A page that is larger is not kept. Guessed. */
    static final int LARGEST_GRANULES = 8;

    /**
     * More granules are not kept. Measured, with 32 blocks of 64 KiB to 4 MiB that are replaced at
     * random: an operation takes 0.7 times as long as with at most 24 pages.
     */
    static final int KEPT_GRANULES_MAX = 64;

    /** So many go at a time: others may take them until they are uncommitted. */
    private static final int BATCH = 64;

    /** Pages of so many granules come after the smallest chunks. */
    private static final int LAST_KIND = ChunkLevel.SMALLEST + LARGEST_GRANULES;

    private final ChunkSpace chunks;
    private final PageSpace pages;
    final SpanMap map;
    private final Lost lost;
    final @Nullable Span[] fresh = new @Nullable Span[LAST_KIND + 1];
    final @Nullable Span[] idle = new @Nullable Span[LAST_KIND + 1];
    int count;
    int keptGranules;

    private final Object givingBack = new Object();

    /** How many bytes that may have memory have gone so far; guarded by {@link #givingBack}. */
    private long goneBytes;

    EmptySpans(ChunkSpace chunks, PageSpace pages, SpanMap map, Lost lost) {
        this.chunks = chunks;
        this.pages = pages;
        this.map = map;
        this.lost = lost;
    }

    /** In which lists a span stands. */
    static int kind(Span span) {
        return span.isLarge()
                ? ChunkLevel.SMALLEST + (int) (span.blockBytes / PageSpace.GRANULE_BYTES)
                : (int) (span.chunk & Chunk.LEVEL_MASK);
    }

    /** Keeps a span; returns false if it is one of a large block, and there is no room for it. */
    synchronized boolean add(Span span) {
        int kind = kind(span);
        int granules = Math.max(0, kind - ChunkLevel.SMALLEST);
        if (granules > LARGEST_GRANULES || keptGranules + granules > KEPT_GRANULES_MAX) {
            return false;
        }
        keptGranules += granules;
        span.next = fresh[kind];
        span.empty = true;
        fresh[kind] = span;
        count++;
        return true;
    }

    /** Removes a span of a kind and returns it; null if there is none. */
    synchronized @Nullable Span take(int kind) {
        Span span = remove(fresh, idle, kind, kind);
        if (span != null) {
            span.next = null;
            span.empty = false;
        }
        return span;
    }

    /** Removes one with a page for so many bytes, and no more; null if there is none. */
    @Nullable Span takeLarge(long bytes) {
        long kind = ChunkLevel.SMALLEST + Math.ceilDiv(bytes, PageSpace.GRANULE_BYTES);
        return kind > LAST_KIND ? null : take((int) kind);
    }

    /** How many there are, without those on their way to chunks or pages. */
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
        synchronized (givingBack) { // so none is idle any more
            long _ = give(true, Long.MAX_VALUE, count(), ChunkLevel.ROOT, LAST_KIND);
            return age();
        }
    }

    @Override
    public long uncommitFree(long wantedBytes) {
        long done = uncommit(wantedBytes);
        if (done < wantedBytes) {
            long _ = givePages(wantedBytes - done);
            done += pages.uncommitFree(wantedBytes - done);
        }
        return done < wantedBytes ? done + chunks.uncommitFree(wantedBytes - done) : done;
    }

    @Override
    public long releaseFree(long wantedBytes) {
        long _ = drain();
        long done = chunks.releaseFree(wantedBytes);
        return done < wantedBytes ? done + pages.releaseFree(wantedBytes - done) : done;
    }

    /** Gives all back that is here now; returns how many bytes of that may have had memory. */
    long drain() {
        synchronized (givingBack) {
            long before = goneBytes;
            long _ = uncommit(Long.MAX_VALUE);
            long _ = givePages(Long.MAX_VALUE);
            return goneBytes - before;
        }
    }

    /**
     * Gives back so many chunks that others have room, and has as much uncommitted at once.
     *
     * @param wantedBytes as much is uncommitted at least, if there is
     * @return how many bytes were
     */
    long uncommit(long wantedBytes) {
        synchronized (givingBack) {
            long done = 0;
            for (int left = count(); left > 0 && done < wantedBytes; left -= BATCH) {
                int most = Math.min(left, BATCH);
                long bytes =
                        give(false, Long.MAX_VALUE, most, ChunkLevel.ROOT, ChunkLevel.SMALLEST);
                done += chunks.uncommitFree(bytes);
            }
            return done;
        }
    }

    /** Gives all chunks back as they are, to be split and joined: no other one is left. */
    void giveChunks() {
        long _ = give(false, Long.MAX_VALUE, count(), ChunkLevel.ROOT, ChunkLevel.SMALLEST);
    }

    private long givePages(long wantedBytes) {
        return give(false, wantedBytes, count(), ChunkLevel.COUNT, LAST_KIND);
    }

    /** Makes all idle, after those that were have gone; returns whether there is any. */
    private synchronized boolean age() {
        for (int kind = 0; kind < fresh.length; kind++) {
            idle[kind] = fresh[kind];
            fresh[kind] = null;
        }
        return count > 0;
    }

    /** Gives back that much, or that many, at most; returns how many bytes may have memory. */
    private long give(boolean onlyIdle, long wantedBytes, int most, int first, int last) {
        synchronized (givingBack) {
            long before = goneBytes;
            for (int left = most; left > 0 && goneBytes - before < wantedBytes; left--) {
                Span span = remove(idle, onlyIdle ? idle : fresh, first, last);
                if (span == null) {
                    break;
                }
                try {
                    goneBytes += Math.max(span.committedBytes, span.dirtyBytes);
                    goneBytes += giveBack(span, onlyIdle);
                } catch (Throwable failure) {
                    if (span.page != null) {
                        lost.pageBytes += span.blockBytes;
                        span.page = null;
                    } else {
                        lost.chunkBytes += ChunkLevel.ROOT_BYTES >> (span.chunk & Chunk.LEVEL_MASK);
                        span.chunk = Chunk.NONE;
                    }
                    throw failure;
                }
            }
            return goneBytes - before;
        }
    }

    /** Gives back the memory of a span that only the running thread has; returns that of a page. */
    long giveBack(Span span, boolean isIdle) {
        Extent page = span.page;
        map.remove(span);
        if (page == null) {
            chunks.giveAsIs(span.chunk, span.dirtyBytes, span.dirtyBytes, isIdle);
            return 0;
        }
        pages.give(page, page.bytes());
        span.page = null;
        return span.blockBytes;
    }

    /**
     * Removes one of the first kind that there is; it stays marked as empty.
     *
     * @param first where one is taken, if there is one of that kind
     * @param second where one is taken otherwise
     */
    private synchronized @Nullable Span remove(
            @Nullable Span[] first, @Nullable Span[] second, int firstKind, int lastKind) {
        for (int kind = firstKind; kind <= lastKind; kind++) {
            @Nullable Span[] list = first[kind] != null ? first : second;
            Span span = list[kind];
            if (span != null) {
                list[kind] = span.next;
                count--;
                keptGranules -= Math.max(0, kind - ChunkLevel.SMALLEST);
                return span;
            }
        }
        return null;
    }
}
