package io.polder.block;

import io.polder.chunk.Chunk;
import io.polder.chunk.ChunkLevel;
import io.polder.memory.MemoryExhaustedException;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;

/**
 * The spans that one thread allocates from, or a few virtual threads.
 *
 * <pre>{@code
 *   current[class]  -->  span --> span --> span      available: some block is free, or not carved
 *
 *   announced       -->  span --> span --> span      of any class: others have freed blocks there
 * }</pre>
 *
 * <p>{@link BiasedOwner} says who may touch it. Its spans come from {@link EmptySpans} or chunks,
 * and go back to {@link EmptySpans} when they are empty; or from an owner whose thread has ended.
 *
 * <p><b>Lone blocks</b>, which have a span each, are kept when they are freed, without an atomic
 * instruction: one of each class, and of all classes up to a sum. Such an instruction would wait
 * for all that the program has just written to the block, which takes longer than it itself. What
 * is kept serves its class and, where the limit is large, the class before; and where these have
 * none, all sizes of its chunk.
 *
 * <p><b>Remote frees.</b> A free by any other thread adds the block to those of its span, {@link
 * RemoteFrees}. When no block of a span is free, these become its free ones. The first of them
 * announces the span: before one is carved or taken, all that are announced are looked at. So a
 * full span is found again, and one that is empty serves any class.
 *
 * <p><b>Errors.</b> A block is taken or freed by stores after which nothing is called. Announced
 * spans that were taken are stored in {@link #taken}, and each leaves it as it is settled. A span
 * that an error meets on its way here, or away, is {@link Lost}.
 */
abstract sealed class ThreadHeap extends BiasedOwner permits ThreadHeap.Padded {
    /** What owns nothing. */
    static final ThreadHeap NOBODY = new Padded(null);

    /** Spans of lone blocks with more are not listed, but for the first of each class. Guessed. */
    private static final long LONE_BYTES_MAX = 8L << 20;

    /** And such a part of the limit. Guessed. */
    private static final int LONE_SHARE = 64;

    /** The first available span of each class. */
    final Span[] current = new Span[SizeClass.COUNT];

    /** Those in which other threads have freed blocks. */
    final AnnouncedSpans announced = new AnnouncedSpans();

    /** What its thread has freed of another owner's. */
    final RemoteBatch batch = new RemoteBatch.Padded();

    /** What is left of the announced spans that were taken last. */
    @Nullable Span taken;

    /** How many spans it has. */
    int spanCount;

    /** The {@link Span#attention} of the first of each class: 0 if that may be empty, else 1. */
    final int attentionOfFirst;

    private final long loneBytesMax;

    /** What the listed spans of lone blocks have. */
    long loneBytes;

    private ThreadHeap(@Nullable BlockSpace space) {
        super(space);
        attentionOfFirst = space != null && space.isOneByOne() ? 1 : 0;
        long limit = space == null ? 0 : space.chunks.limits().committedMaxBytes();
        loneBytesMax = attentionOfFirst == 0 ? Math.min(LONE_BYTES_MAX, limit / LONE_SHARE) : 0;
        if (space != null) { // nobody is made while Span.NONE is
            Arrays.fill(current, Span.NONE);
        }
    }

    /** Of nobody yet, with cache lines of its own. */
    static ThreadHeap of(BlockSpace space) {
        return new Padded(space);
    }

    /**
     * Allocates a block without carving. To be called inside, or with the monitor.
     *
     * @return 0 if none is free that was carved
     */
    long allocate(int sizeClass) {
        Span span = fitting(sizeClass);
        return span.head == 0 ? 0 : span.take();
    }

    /** Whether {@link #allocate} would return a block. */
    private boolean hasFree(int sizeClass) {
        return fitting(sizeClass).head != 0;
    }

    /** The first span that is not full; for a lone block perhaps one of the next larger class. */
    private Span fitting(int sizeClass) {
        Span span = next(sizeClass);
        boolean mayBeLarger = Carving.isLone(sizeClass) && loneBytesMax == LONE_BYTES_MAX;
        if (span.head != 0 || !mayBeLarger || sizeClass + 1 == SizeClass.COUNT) {
            return span;
        }
        Span larger = next(sizeClass + 1);
        return larger.head != 0 ? larger : span;
    }

    /** Takes full spans off the list; returns the first that is not. */
    private Span next(int sizeClass) {
        Span span = current[sizeClass];
        while (span != Span.NONE
                && span.head == 0
                && !span.takeRemote()
                && span.carvedBytes == span.bytes) {
            Span after = span.next;
            loneBytes -= span.loneBytes(); // from here on nothing is called
            span.listed = false;
            span.attention = Span.ALWAYS;
            span.next = null;
            if (after == null) {
                current[sizeClass] = Span.NONE;
                return Span.NONE;
            }
            after.previous = null;
            after.attention = attentionOfFirst;
            current[sizeClass] = after;
            span = after;
        }
        return span;
    }

    /**
     * Frees a block of one of these. To be called with the monitor.
     *
     * @return whether its span is empty then and another one is there to allocate from
     */
    boolean free(Span span, long block) {
        int sizeClass = span.sizeClass;
        boolean stays = mayStayEmpty(span);
        if (!span.listed) {
            list(span, sizeClass);
        }
        span.put(block);
        return span.used == 0 && span.attention != 0 && !stays;
    }

    /** Whether a full span of a lone block is listed when that is free, also if it is not first. */
    private boolean mayStayEmpty(Span span) {
        long its = span.loneBytes();
        return its != 0 && !span.listed && loneBytes + its <= loneBytesMax;
    }

    /**
     * Frees a block of one of these, if its span has others that are used as well, is the first of
     * its class, or may stay empty. To be called inside.
     *
     * @return false if there is more to do
     */
    boolean tryFree(Span span, long block) {
        if (span.used <= span.attention) {
            if (span.listed || span.used <= (mayStayEmpty(span) ? 0 : 1)) {
                return false;
            }
            list(span, span.sizeClass);
        }
        span.put(block);
        return true;
    }

    /** Makes a full span available. By stores alone. */
    private void list(Span span, int sizeClass) {
        loneBytes += span.loneBytes();
        Span first = current[sizeClass];
        if (first == Span.NONE) {
            span.attention = span.blockBytes > SizeClass.BYTES_MAX ? 1 : attentionOfFirst;
            span.previous = null;
            span.next = null;
            span.listed = true;
            current[sizeClass] = span;
            return;
        }
        Span second = first.next;
        span.attention = 1;
        span.listed = true;
        span.previous = first;
        span.next = second;
        if (second != null) {
            second.previous = span;
        }
        first.next = span;
    }

    /**
     * Sees to it that a block is free and carved.
     *
     * @param roomy whether a span that is added for a lone block has room for the largest
     * @throws MemoryExhaustedException if there is no memory for it
     */
    void makeFreeLocked(int sizeClass, boolean roomy) {
        if (hasFree(sizeClass)) {
            return;
        }
        if (taken != null || announced.first() != null) {
            drainLocked();
            if (hasFree(sizeClass)) {
                return;
            }
        }
        if (current[sizeClass] == Span.NONE) {
            int level = roomy ? ChunkLevel.ROOT : Carving.level(sizeClass);
            Span alike = Carving.isLone(sizeClass) ? alikeLocked(level) : null;
            if (alike == null && space().owners.adopt(this, sizeClass) && hasFree(sizeClass)) {
                return;
            }
            if (current[sizeClass] == Span.NONE) {
                addSpanLocked(sizeClass, level, alike);
            }
        }
        Span span = current[sizeClass];
        try {
            Carving.carve(span, space().chunks, space().isOneByOne());
        } catch (MemoryExhaustedException none) {
            if (span.used == 0) {
                boolean _ = retireLocked(span); // its chunk may serve others
            }
            throw none;
        }
    }

    /** What classes of lone blocks have empty, of chunks of a level; null if they have nothing. */
    private @Nullable Span alikeLocked(int level) {
        boolean any = level == ChunkLevel.ROOT;
        int last = any ? SizeClass.COUNT - 1 : SizeClass.of(ChunkLevel.bytes(level));
        int before = any ? 0 : last - SizeClass.STEPS;
        for (int other = last; other > before && Carving.isLone(other); other--) {
            Span span = next(other);
            boolean isAlike = (span.chunk & Chunk.LEVEL_MASK) == level;
            if (span != Span.NONE && isAlike && span.isUnused() && !span.isAnnounced()) {
                return span;
            }
        }
        return null;
    }

    /**
     * Gets a span, and makes it the one to allocate from, since there is no other one.
     *
     * @param alike what the owner has itself, unused, and of the level; null if it has none
     */
    private void addSpanLocked(int sizeClass, int level, @Nullable Span alike) {
        BlockSpace its = space();
        Lost lost = its.lost;
        Span span = alike != null ? alike : takeSpan(its, sizeClass, level);
        if (alike != null) {
            unlinkLocked(alike);
        }
        try {
            span.format(sizeClass, this);
            span.bytes = level < Carving.level(sizeClass) ? span.blockBytes : span.bytes;
            Carving.disclaim(span, its.chunks);
            if (alike == null) {
                its.map.add(span);
            }
            loneBytes += span.loneBytes();
            span.attention = attentionOfFirst;
            span.listed = true;
            span.next = null;
            span.previous = null;
            spanCount++;
            current[sizeClass] = span;
        } catch (Throwable failure) {
            lost.chunkBytes += ChunkLevel.ROOT_BYTES >> (span.chunk & Chunk.LEVEL_MASK);
            span.chunk = Chunk.NONE;
            throw failure;
        }
    }

    /** Takes an empty span, or a chunk for one; of a level, or else as can be. */
    private Span takeSpan(BlockSpace its, int sizeClass, int preferred) {
        Span span = its.empties.take(preferred);
        if (span != null) {
            return span;
        }
        span = Span.of(this);
        try {
            span.chunk = its.chunks.take(preferred, preferred);
        } catch (MemoryExhaustedException exhausted) {
            its.empties.giveChunks(); // of other levels
            span.chunk = its.chunks.take(preferred, Carving.smallestLevel(sizeClass));
        }
        return span;
    }

    /**
     * Lets an available span that is unused leave, for any thread that wants one. One that is
     * announced stays: who finds it in that list retires it.
     *
     * @return whether it has left
     */
    boolean retireLocked(Span span) {
        if (span.isAnnounced()) {
            return false;
        }
        EmptySpans empties = space().empties;
        Lost lost = space().lost;
        unlinkLocked(span);
        try {
            boolean _ = empties.add(span); // which one with a chunk always may
        } catch (Throwable failure) {
            lost.chunkBytes += ChunkLevel.ROOT_BYTES >> (span.chunk & Chunk.LEVEL_MASK);
            span.chunk = Chunk.NONE;
            throw failure;
        }
        return true;
    }

    /** Makes a span nobody's, with nothing carved. By stores alone. */
    void unlinkLocked(Span span) {
        unlist(span);
        span.carvedBytes = 0;
        span.head = 0;
        span.used = 0;
        span.freed = 0;
        spanCount--;
    }

    /** Takes a span off the list. By stores alone. */
    private void unlist(Span span) {
        Span before = span.previous;
        Span after = span.next;
        loneBytes -= span.listed ? span.loneBytes() : 0;
        if (before != null) {
            before.next = after;
        } else if (after != null) {
            after.attention = attentionOfFirst;
            current[span.sizeClass] = after;
        } else if (span.listed) {
            current[span.sizeClass] = Span.NONE;
        }
        if (after != null) {
            after.previous = before;
        }
        span.attention = Span.ALWAYS;
        span.listed = false;
        span.next = null;
        span.previous = null;
    }

    /**
     * Takes over a span with room, with all blocks that are used there, from an owner whose thread
     * has ended. The caller has both monitors.
     *
     * @return whether there was one
     */
    boolean adoptSpanLocked(ThreadHeap ended, int sizeClass) {
        if (!ended.revokeLocked()) {
            return false;
        }
        ended.drainLocked();
        Lost lost = space().lost;
        Span span = ended.next(sizeClass);
        if (span == Span.NONE || !span.claim()) {
            return false; // if not claimed, who announces it has read its owner
        }
        try {
            ended.unlist(span);
            ended.spanCount--;
            spanCount++;
            span.owner = this;
            list(span, sizeClass);
            span.settle(this, taken);
        } catch (Throwable failure) {
            lost.announcements++;
            throw failure;
        }
        return true;
    }

    /**
     * Makes the only block of a span longer, within its chunk. For the owner's own thread, or any
     * where threads share it, if it has the block.
     *
     * @return whether it is; if not, it is as it was
     */
    boolean extendLocked(Span span, int sizeClass) {
        if (span.bytes != span.blockBytes || SizeClass.bytes(sizeClass) > Chunk.bytes(span.chunk)) {
            return false;
        }
        unlist(span); // where the span is full, which any list may find out later
        return Carving.extend(span, sizeClass, space().chunks);
    }

    /** Looks at all announced spans: makes them available, and retires those that are empty. */
    void drainLocked() {
        if (taken == null) {
            taken = announced.takeAll();
        }
        for (Span span = taken; span != null; span = taken) {
            boolean isLost = span.chunk == Chunk.NONE; // of a closed space
            if (!span.listed && !isLost) {
                list(span, span.sizeClass);
            }
            span.settle(this, span.nextAnnounced);
            if (span.attention != 0 && !isLost && span.isUnused()) {
                boolean _ = retireLocked(span);
            }
        }
    }

    /**
     * Looks at what other threads have freed, and retires all spans that are empty. Only for a
     * thread that has revoked this.
     *
     * @return how many
     */
    int collectLocked() {
        drainLocked();
        int retired = 0;
        for (int sizeClass = 0; sizeClass < current.length; sizeClass++) {
            Span span = current[sizeClass];
            while (span != null && span != Span.NONE) {
                Span after = span.next;
                if (span.isUnused()) {
                    retired += retireLocked(span) ? 1 : 0;
                }
                span = after;
            }
        }
        return retired;
    }

    /** Whether nothing would be lost with it. */
    boolean isUnusedLocked() {
        return spanCount == 0 && taken == null && announced.first() == null && batch.span == null;
    }

    /** Ends with a cache line that nobody uses: what lies behind it may be another thread's. */
    @SuppressWarnings("unused")
    private static final class Padded extends ThreadHeap {
        private long pad0, pad1, pad2, pad3, pad4, pad5, pad6, pad7;

        private Padded(@Nullable BlockSpace space) {
            super(space);
        }
    }
}
