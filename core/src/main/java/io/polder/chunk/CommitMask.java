package io.polder.chunk;

/**
 * Which OS pages of one root chunk have memory behind them: touched, and not given back.
 *
 * <p>The only truth about committed memory. Whatever else is said about it is counted from here;
 * the sum that a limit is compared with is checked against it by {@code SpaceCheck}.
 *
 * <p>Invariant: {@code committed == bits set}, all of them below the page count.
 *
 * <p>Not thread-safe: guarded by the lock of the {@link SpaceState} it belongs to.
 */
final class CommitMask {
    final Bits pages;
    final int pageCount;
    int committed;

    /** A root chunk without memory, of so many OS pages. */
    CommitMask(int pageCount) {
        this.pages = new Bits(pageCount);
        this.pageCount = pageCount;
    }

    /** How many OS pages are committed. */
    int committed() {
        return committed;
    }

    /** How many OS pages of {@code [from, to)} are committed. */
    int committed(int from, int to) {
        return pages.count(from, to);
    }

    /** Whether any OS page of {@code [from, to)} is committed. */
    boolean anyCommitted(int from, int to) {
        return pages.any(from, to);
    }

    /** Marks {@code [from, to)} committed; returns how many were not. The bits decide. */
    int commit(int from, int to) {
        int added = to - from - committed(from, to);
        pages.set(from, to);
        committed += added;
        return added;
    }

    /** Marks {@code [from, to)} uncommitted; returns how many were committed. The bits decide. */
    int uncommit(int from, int to) {
        int removed = committed(from, to);
        pages.clear(from, to);
        committed -= removed;
        return removed;
    }

    /** Counts the bits anew. */
    void recount() {
        committed = pages.count();
    }

    /** The first page from {@code from} on that is committed; the page count if none is. */
    int nextCommitted(int from) {
        return Math.min(pages.next(from), pageCount);
    }

    /** The first page from {@code from} on that is not committed; at most the page count. */
    int nextUncommitted(int from) {
        return Math.min(pages.nextClear(from), pageCount);
    }
}
