package io.polder.agent.census;

/** Whether pooling serves a call site. */
enum Verdict {
    /** Confined, closed, and small enough for a slab. */
    YES("yes", "confined, closed, and less than 16 KiB"),
    /** Confined and closed, but most do not fit a slab. */
    LARGE("large", "most hold 16 KiB or more: pooled in chunks and pages; clearing costs most"),
    /** Nothing allocated: as cheap as it gets. */
    EMPTY("empty", "they allocate nothing: there is nothing to pool"),
    /** Nothing is opened again. */
    ONCE("once", "one arena in all: there is nothing to use its memory again"),
    /** The handshake of the close costs most. */
    SHARED("shared", "pooled with pool=shared or both; the close, a handshake of threads, stays"),
    /** They live on. */
    OPEN("open", "more than a tenth were not closed: long-lived, or forgotten");

    /** What fits the slabs of the common pool as they are set at first. */
    static final long SLAB_BYTES = 16 << 10;

    private static final int SLAB_BUCKET = Buckets.ofSize(SLAB_BYTES);

    private final String word;
    private final String why;

    Verdict(String word, String why) {
        this.word = word;
        this.why = why;
    }

    String word() {
        return word;
    }

    String why() {
        return why;
    }

    static Verdict of(boolean confined, Row row) {
        long closed = row.closedCount();
        if (closed * 10 < row.openedCount() * 9) {
            return OPEN;
        }
        if (row.size(0) == closed) {
            return EMPTY;
        }
        if (row.openedCount() == 1) {
            return ONCE;
        }
        if (!confined) {
            return SHARED;
        }
        long used = closed - row.size(0);
        return small(row) * 2 >= used ? YES : LARGE;
    }

    /** How many arenas allocated something and hold less than a slab. */
    static long small(Row row) {
        long small = 0;
        for (int bucket = 1; bucket < SLAB_BUCKET; bucket++) {
            small += row.size(bucket);
        }
        return small;
    }
}
