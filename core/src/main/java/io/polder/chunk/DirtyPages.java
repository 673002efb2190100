package io.polder.chunk;

import io.polder.memory.Zeroing;

/**
 * Which OS pages of one root chunk may not read as zero, though nobody who has them knows: what an
 * arena gave back uncleared.
 *
 * <pre>{@code
 *   clean  --given as it is-->  dirty  --committed for an owner who wants zeros-->  zeroed, clean
 *                                 |----uncommitted-->                               clean
 *                                 |----committed for an owner as it is-->           dirty still
 * }</pre>
 *
 * <p>A bit belongs to a page and to no chunk. So chunks split and merge, and what they inherit of
 * each other follows by itself.
 *
 * <p><b>Invariants.</b> A committed page that is free, or that its owner has not committed yet,
 * reads as zero unless it is marked. What is marked is committed. A page in which chunks are
 * smaller than a page is not marked: it is {@linkplain #zero zeroed} before one is taken from it.
 *
 * <p><b>Errors.</b> These bits are part of what is true: nothing can tell them anew. So a page is
 * marked before its chunk is free, and its mark is removed when it reads as zero, and not before.
 *
 * <p>Not thread-safe: guarded by the lock of the {@link SpaceState} it belongs to.
 */
final class DirtyPages {
    final Bits pages;

    /** So many OS pages, all clean. */
    DirtyPages(int pageCount) {
        this.pages = new Bits(pageCount);
    }

    /** Says that {@code [from, to)} may not read as zero; it is committed. */
    void mark(int from, int to) {
        pages.set(from, to);
    }

    /** Says that {@code [from, to)} reads as zero, or will when it is committed. */
    void unmark(int from, int to) {
        pages.clear(from, to);
    }

    /** Whether any page of {@code [from, to)} may not read as zero. */
    boolean any(int from, int to) {
        return pages.any(from, to);
    }

    /** The first page from {@code from} on that may not read as zero; the end if none. */
    int next(int from) {
        return pages.next(from);
    }

    /** The first page from {@code from} on that reads as zero; the end if none. */
    int nextClean(int from) {
        return pages.nextClear(from);
    }

    /**
     * Zeroes a page that nobody has. The only place where memory is written to under the lock: one
     * page, before several owners may share it.
     */
    void zero(int page, long address, long bytes) {
        if (pages.get(page)) {
            Zeroing.zeroExactly(address, bytes);
            pages.clear(page);
        }
    }
}
