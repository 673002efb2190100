package io.polder.lab.experiments.cache;

import io.polder.lab.report.Format;
import io.polder.tools.html.Term;

import java.util.List;

/**
 * A part of the workload on memory: values of some sizes are put, or entries are removed.
 *
 * <p>Of values that are put there are so many bytes, as a multiple of the limit: three times it, or
 * for {@link #MIXED} 1.4 times, which are 1.5 GB and 0.7 GB with a limit of 512 MiB.
 */
enum Phase {
    SMALL(100, 500, 3),
    MEDIUM(1 << 10, 5 << 10, 3),
    LARGE(20 << 10, 60 << 10, 3),
    MIXED(50, 150, 1.4),
    /** All but a twentieth of the entries are removed, at random. */
    DELETED95(0, 0, 0),
    /** The rest is removed. */
    DELETED(0, 0, 0);

    /** Those after which something can be read. */
    static final List<Phase> WITH_ENTRIES = List.of(SMALL, MEDIUM, LARGE, MIXED, DELETED95);

    private static final List<Phase> ALL = List.of(values());

    private final int least;
    private final int most;
    private final double limits;

    Phase(int least, int most, double limits) {
        this.least = least;
        this.most = most;
        this.limits = limits;
    }

    /** Name in metrics. */
    String id() {
        return Format.id(this);
    }

    /** How many come before it. */
    int number() {
        return ALL.indexOf(this);
    }

    /** Whether values are put. */
    boolean puts() {
        return limits > 0;
    }

    /** Bytes of a value, each size as likely; {@code random} is any number. */
    int bytes(long random) {
        return least + (int) Long.remainderUnsigned(random, most - least + 1L);
    }

    /** Bytes of all values that are put. */
    long bytesPut(long limit) {
        return (long) (limits * limit);
    }

    static int valueBytesMax() {
        return LARGE.most;
    }

    /** Its name in tables and charts. */
    Term term() {
        return new Term(
                id(),
                switch (this) {
                    case SMALL, MEDIUM, LARGE, MIXED ->
                            Format.text("Values of %d to %d bytes were put.", least, most);
                    case DELETED95 -> "95 % of the entries were removed.";
                    case DELETED -> "All entries were removed.";
                });
    }
}
