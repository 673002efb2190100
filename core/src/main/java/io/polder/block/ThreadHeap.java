package io.polder.block;

import static io.polder.memory.Zeroing.ADDRESS_SPACE;
import static io.polder.memory.Zeroing.WORD;

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
 *   remote          -->  block --> block --> block   freed by other threads, of any of its spans
 * }</pre>
 *
 * <p>{@link BiasedOwner} says who may touch it. Its spans come from {@link EmptySpans} or chunks,
 * and go back to {@link EmptySpans} when they are empty.
 *
 * <p><b>Remote frees.</b> A free by any other thread links the block to the remote list, by one
 * compare-and-set. All of the list is taken at once, so nothing can be there twice in between. That
 * is done before a span is carved or taken.
 *
 * <p><b>Errors.</b> A block is taken or freed by stores after which nothing is called. A list taken
 * is stored in {@link #taken}, and each block leaves it as it is freed. A span that an error meets
 * on its way here, or away, is {@link Lost}.
 */
abstract sealed class ThreadHeap extends BiasedOwner permits ThreadHeap.Padded {
    /** What owns nothing. */
    static final ThreadHeap NOBODY = new Padded(null);

    /** The first available span of each class. */
    final Span[] current = new Span[SizeClass.COUNT];

    /** What other threads have freed. */
    final RemoteFrees remote = new RemoteFrees();

    /** What is left of the remote list that was taken last. */
    long taken;

    /** How many spans it has. */
    private int spanCount;

    /** A bit for each class that it ever had spans of: others have nothing to look for. */
    private final long[] classes = new long[SizeClass.COUNT / Long.SIZE + 1];

    /** The {@link Span#attention} of the first of each class: 0 if that may be empty, else 1. */
    final int attentionOfFirst;

    /** In the ring of {@link ThreadHeaps}; guarded by that. */
    @Nullable ThreadHeap next;

    private ThreadHeap(@Nullable BlockSpace space) {
        super(space);
        attentionOfFirst = space != null && space.isOneByOne() ? 1 : 0;
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
        Span span = current[sizeClass];
        long block = span.head;
        if (block == 0) {
            span = next(sizeClass);
            block = span.head;
            if (block == 0) {
                return 0;
            }
        }
        span.head = ADDRESS_SPACE.get(WORD, block);
        span.used++;
        return block;
    }

    /** Whether {@link #allocate} would return a block. */
    private boolean hasFree(int sizeClass) {
        return current[sizeClass].head != 0 || next(sizeClass).head != 0;
    }

    /** Takes full spans off the list; returns the first that is not. By stores alone. */
    private Span next(int sizeClass) {
        Span span = current[sizeClass];
        while (span != Span.NONE && span.head == 0 && span.carvedBytes == span.bytes) {
            Span after = span.next;
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
        if (!span.listed) {
            list(span, sizeClass);
        }
        ADDRESS_SPACE.set(WORD, block, span.head);
        span.head = block;
        span.used--;
        return span.used == 0 && span.attention != 0;
    }

    /**
     * Frees a block of one of these, if it has others that are used as well, or is the first of its
     * class. To be called inside.
     *
     * @return false if there is more to do
     */
    boolean tryFree(Span span, long block) {
        int used = span.used;
        if (used <= span.attention) {
            if (span.listed || used <= 1) {
                return false;
            }
            list(span, span.sizeClass);
        }
        ADDRESS_SPACE.set(WORD, block, span.head);
        span.head = block;
        span.used = used - 1;
        return true;
    }

    /** Makes a full span available. By stores alone. */
    private void list(Span span, int sizeClass) {
        Span first = current[sizeClass];
        if (first == Span.NONE) {
            span.attention = attentionOfFirst;
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

    /** What other threads have freed: they add to it without the monitor. */
    RemoteFrees remote() {
        return remote;
    }

    /**
     * Sees to it that a block is free and carved.
     *
     * @throws MemoryExhaustedException if there is no memory for it
     */
    void makeFreeLocked(int sizeClass) {
        if (hasFree(sizeClass)) {
            return;
        }
        if (taken != 0 || !remote.isEmpty()) {
            drainLocked();
            if (hasFree(sizeClass)) {
                return;
            }
        }
        if (current[sizeClass] == Span.NONE) {
            if (Carving.isLone(sizeClass)) {
                retireAlikeLocked(sizeClass);
            }
            addSpanLocked(sizeClass);
        }
        Span span = current[sizeClass];
        try {
            Carving.carve(span, space().chunks(), space().isOneByOne());
        } catch (MemoryExhaustedException none) {
            if (span.used == 0) {
                retireLocked(span); // its chunk may serve others
            }
            throw none;
        }
    }

    /** Gives up what other classes have empty, of chunks of the size that a class has. */
    private void retireAlikeLocked(int sizeClass) {
        int level = Carving.level(sizeClass);
        for (int other = SizeClass.COUNT - 1; Carving.isLone(other); other--) {
            Span span = current[other];
            if (Carving.level(other) == level && span != Span.NONE && span.used == 0) {
                retireLocked(span);
            }
        }
    }

    /** Takes a span, and makes it the one to allocate from, since there is no other one. */
    private void addSpanLocked(int sizeClass) {
        BlockSpace its = space();
        Lost lost = its.lost();
        Span span = takeSpan(its, sizeClass);
        boolean added = false;
        try {
            span.format(sizeClass, this);
            Carving.disclaim(span, its.chunks());
            its.map().add(span);
            span.attention = attentionOfFirst;
            span.listed = true;
            span.next = null;
            span.previous = null;
            spanCount++;
            classes[sizeClass / Long.SIZE] |= 1L << sizeClass;
            current[sizeClass] = span;
            added = true;
        } finally {
            if (!added) {
                lost.chunkBytes += ChunkLevel.ROOT_BYTES >> (span.chunk & Chunk.LEVEL_MASK);
                span.chunk = Chunk.NONE;
            }
        }
    }

    /** Takes an empty span, or a chunk for one. */
    private Span takeSpan(BlockSpace its, int sizeClass) {
        int preferred = Carving.level(sizeClass);
        int smallest = Carving.smallestLevel(sizeClass);
        Span span = its.empties().take(preferred, preferred);
        if (span != null) {
            return span;
        }
        span = Span.of(this);
        try {
            span.chunk = its.chunks().take(preferred, preferred);
        } catch (MemoryExhaustedException exhausted) {
            Span other = its.empties().take(ChunkLevel.ROOT, smallest);
            if (other != null) {
                return other;
            }
            if (preferred == smallest) {
                throw exhausted;
            }
            span.chunk = its.chunks().take(smallest, smallest);
        }
        return span;
    }

    /** Lets an available span that is empty leave, for any thread that wants one. */
    void retireLocked(Span span) {
        EmptySpans empties = space().empties();
        Lost lost = space().lost();
        unlinkLocked(span);
        boolean kept = false;
        try {
            empties.add(span);
            kept = true;
        } finally {
            if (!kept) {
                lost.chunkBytes += ChunkLevel.ROOT_BYTES >> (span.chunk & Chunk.LEVEL_MASK);
                span.chunk = Chunk.NONE;
            }
        }
    }

    /** Makes a span nobody's, with nothing carved. By stores alone. */
    void unlinkLocked(Span span) {
        Span before = span.previous;
        Span after = span.next;
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
        span.carvedBytes = 0;
        span.head = 0;
        span.attention = Span.ALWAYS;
        span.listed = false;
        span.next = null;
        span.previous = null;
        spanCount--;
    }

    /** Frees what other threads have freed. */
    void drainLocked() {
        if (taken == 0) {
            taken = remote.takeAll();
        }
        SpanMap map = space().map();
        while (taken != 0) {
            long block = taken;
            Span span = map.find(block);
            if (span.owner != this || span.used <= 0 || !span.isBlock(block)) {
                taken = 0;
                throw new AssertionError(
                        "what was freed is used: a block was freed twice, or written to after it"
                                + " was freed: address=0x"
                                + Long.toHexString(block)
                                + ", "
                                + span);
            }
            if (!span.listed) {
                list(span, span.sizeClass);
            }
            long rest = ADDRESS_SPACE.get(WORD, block);
            ADDRESS_SPACE.set(WORD, block, span.head);
            taken = rest;
            span.head = block;
            span.used--;
            if (span.used == 0 && span.attention != 0) {
                retireLocked(span);
            }
        }
    }

    /**
     * Frees what other threads have freed, and retires all spans that are empty. Only for a thread
     * that has revoked this.
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
                if (span.used == 0) {
                    retireLocked(span);
                    retired++;
                }
                span = after;
            }
        }
        return retired;
    }

    /** Whether {@link #collectLocked} would find something, as far as one can see from outside. */
    boolean hasMuch() {
        if (!remote.isEmpty() || taken != 0) {
            return true;
        }
        for (int word = 0; word < classes.length; word++) {
            for (long left = classes[word]; left != 0; left &= left - 1) {
                Span span = current[word * Long.SIZE + Long.numberOfTrailingZeros(left)];
                if (span != Span.NONE && span.used == 0) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Whether nothing would be lost with it. */
    boolean isUnusedLocked() {
        return spanCount == 0 && taken == 0 && remote.isEmpty();
    }

    /** How many spans it has; only for a thread that has revoked it. */
    int spanCountLocked() {
        return spanCount;
    }

    /** Ends with a cache line that nobody uses: what lies behind it may be another thread's. */
    @SuppressWarnings("unused")
    private static final class Padded extends ThreadHeap {
        private long pad0;
        private long pad1;
        private long pad2;
        private long pad3;
        private long pad4;
        private long pad5;
        private long pad6;
        private long pad7;

        private Padded(@Nullable BlockSpace space) {
            super(space);
        }
    }
}
