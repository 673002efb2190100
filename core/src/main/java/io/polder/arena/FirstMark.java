package io.polder.arena;

/**
 * What a confined arena remembers of its beginning, in one number, so that its common path has one
 * thing to look at.
 *
 * <pre>{@code
 *   31                     8 7      2      1        0
 *   |        turn           |  kind  | WATCHED | OTHER |      0: a slab, or nothing
 * }</pre>
 *
 * <p>The <i>turn</i> says when its thread took the first chunk, see {@link ThreadSlabs#nextTurn};
 * the <i>kind</i> is that of {@link GrowthHistory}. Both matter only for an arena that began with a
 * small chunk. {@link #OTHER} is set for those, and for all that have grown, {@link
 * #WATCHED} for those that have a lease.
 */
final class FirstMark {
    /** There is more than a slab, or something else. */
    static final int OTHER = 1;

    /** Leak detection wants to know of its close. */
    static final int WATCHED = 2;

    private static final int KIND_SHIFT = 2;
    private static final int TURN_SHIFT = 8;
    private static final int KIND_MASK = (1 << (TURN_SHIFT - KIND_SHIFT)) - 1;

    /** How many turns can be told apart. */
    static final int TURNS = 1 << (Integer.SIZE - TURN_SHIFT);

    private FirstMark() {}

    static int of(int turn, int kind) {
        return (turn << TURN_SHIFT) | (kind << KIND_SHIFT) | OTHER;
    }

    static int kind(int mark) {
        return (mark >>> KIND_SHIFT) & KIND_MASK;
    }

    static int turn(int mark) {
        return mark >>> TURN_SHIFT;
    }
}
