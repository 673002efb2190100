package io.polder.page.space;

import java.util.Arrays;

/**
 * Decides how much free memory nobody needs, and has it uncommitted little by little.
 *
 * <pre>{@code
 *   slices of the decay period   | 40 | 35 | 38 | ... | 36 |    the least that was free in each
 *                                                 least of all: 35, not needed for a whole period
 *   each further slice           a quarter of that is uncommitted, if it is still not needed
 * }</pre>
 *
 * <p>Memory committed in a slice makes its least zero: while demand grows, and for a period after
 * it, nothing is uncommitted. So what is free stays committed for one period at least, and after a
 * load has ended all of it is given back within two.
 *
 * <p>It ends by itself when nothing is free. Its steps follow each other and are not concurrent.
 */
final class Decay {
    /** Slices of a period. */
    static final int SLICES = 8;

    /** Over how many slices what is not needed is spread: within the second period. */
    private static final int SPREAD = 4;

    private final PageState state;
    private final PageUncommitter uncommitter;
    private final long[] least = new long[SLICES];
    private int at;
    private long portion;

    Decay(PageState state, PageUncommitter uncommitter) {
        this.state = state;
        this.uncommitter = uncommitter;
    }

    /** The end of a slice; returns whether there is something free to look at in the next. */
    boolean slice() {
        boolean waste;
        synchronized (state) {
            state.recoverIfNeededLocked();
            least[at] = state.idleFree.next(state.freeLocked());
            // What is isolated may come back, and nobody who puts it back says so here.
            waste = state.hasWasteLocked() || state.isolated > 0;
        }
        at = (at + 1) % SLICES;
        if (!waste) {
            Arrays.fill(least, 0);
            portion = 0;
            return false;
        }
        long unneeded = Arrays.stream(least).min().orElse(0);
        portion = unneeded == 0 ? 0 : Math.max(portion, (unneeded + SPREAD - 1) / SPREAD);
        long done = uncommitter.uncommitAtMost(Math.min(portion, unneeded), unneeded);
        for (int i = 0; i < SLICES; i++) {
            least[i] = Math.max(0, least[i] - done);
        }
        return true;
    }
}
