package io.polder.agent.census;

import org.jspecify.annotations.Nullable;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * The rows of one thread, or of several, by the number of the call site. A row is made when its
 * call site is first met.
 *
 * <p><b>Threads.</b> Rows of one thread are made by that thread; those of several under the
 * monitor. A row is published with release and found with acquire.
 */
final class Rows {
    private static final VarHandle ELEMENTS = MethodHandles.arrayElementVarHandle(Row[].class);
    private static final int FIRST_LENGTH = 16;

    private final boolean several;
    private volatile @Nullable Row[] rows = new @Nullable Row[FIRST_LENGTH];

    Rows(boolean several) {
        this.several = several;
    }

    Row row(int site) {
        @Nullable Row[] known = rows;
        if (site < known.length) {
            Row row = (Row) ELEMENTS.getAcquire(known, site);
            if (row != null) {
                return row;
            }
        }
        return make(site);
    }

    private synchronized Row make(int site) {
        if (site >= rows.length) {
            rows = Arrays.copyOf(rows, Integer.highestOneBit(site) << 1);
        }
        Row row = rows[site];
        if (row == null) {
            row = new Row(several);
            ELEMENTS.setRelease(rows, site, row);
        }
        return row;
    }

    /** Adds all counts to rows that no other thread knows. */
    synchronized void addTo(Rows sum) {
        @Nullable Row[] known = rows;
        for (int site = 0; site < known.length; site++) {
            Row row = known[site];
            if (row != null) {
                row.addTo(sum.row(site));
            }
        }
    }
}
