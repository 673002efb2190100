package io.polder.cache;

import io.polder.heap.RelocatingHeap;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Entries in the order of their pages, the oldest page first: those leave together that lie
 * together. So pages come free as a whole, and compaction copies little but what stays.
 *
 * <pre>{@code
 *   heap   | page | page | page | ...
 *                   ^ handles are asked for here, a group at a time
 *   group  [ h h h h h h . . ]
 *                ^ passed
 * }</pre>
 *
 * <p>Of a small cache, or one that has not been compacted yet, the heap names no pages. Then the
 * next group is none, and the heap is asked again after a while.
 *
 * <p>Thread-safe.
 */
final class PageOrder {
    /** Handles that the heap is asked for at a time. */
    private static final int GROUP = 256;

    /** After so many vain questions, without asking, the heap is asked again. */
    private static final int ASK_AGAIN = 64;

    private static final Group NONE = new Group(new long[0]);

    private final RelocatingHeap heap;
    private final boolean isRing;
    private volatile Group group = NONE;

    /** Guarded by this. */
    private long position;

    /** Questions that are not asked; racy, a hint. */
    private int silent;

    /**
     * From the oldest page on.
     *
     * @param isRing whether the oldest page comes after the newest
     */
    PageOrder(RelocatingHeap heap, boolean isRing) {
        this.heap = heap;
        this.isRing = isRing;
    }

    /** Entries of a page, by their handles, and how many of them were passed. */
    static final class Group {
        private final long[] handles;
        private final AtomicInteger passed = new AtomicInteger();

        private Group(long[] handles) {
            this.handles = handles;
        }

        int turn() {
            return passed.get();
        }

        /** The handle whose turn it is; 0 if all were passed. */
        long handle(int turn) {
            return turn < handles.length ? handles[turn] : 0;
        }

        /** Goes on behind a handle; returns whether it was this thread that did. */
        boolean pass(int turn) {
            return passed.compareAndSet(turn, turn + 1);
        }
    }

    /** The group whose turn it is; null if the heap names none. */
    @Nullable Group group() {
        Group now = group;
        if (now.handle(now.turn()) != 0) {
            return now;
        }
        if (silent > 0) {
            silent--;
            return null;
        }
        return next();
    }

    private synchronized @Nullable Group next() {
        Group now = group;
        if (now.handle(now.turn()) != 0) {
            return now;
        }
        long[] handles = new long[GROUP];
        position = heap.nextOldest(position, handles);
        if (handles[0] == 0 && isRing) {
            position = heap.nextOldest(0, handles);
        }
        if (handles[0] == 0) {
            silent = ASK_AGAIN;
            return null;
        }
        group = new Group(handles);
        return group;
    }
}
