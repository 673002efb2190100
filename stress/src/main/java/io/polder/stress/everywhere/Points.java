package io.polder.stress.everywhere;

/**
 * Which points of an operation are tried, one after another, until the operation does not come to
 * one of them.
 *
 * @param first the first of them, counted from 1
 * @param step how far apart they are, from 1 up
 * @param most how many at most
 */
record Points(long first, long step, long most) {
    /** A point that no operation comes to: nothing is thrown. */
    static final Points NONE = only(Long.MAX_VALUE);

    /** More points than any operation has: then it does not end. */
    static final long ALL_MAX = 1_000_000;

    /** Every point. */
    static final Points ALL = new Points(1, 1, ALL_MAX);

    /** One point alone. */
    static Points only(long point) {
        return new Points(point, 1, 1);
    }

    /**
     * Some points, evenly spread.
     *
     * @param of how many the operation has
     * @param most how many to try at most
     * @param seed says which, where the operation has more
     */
    static Points some(long of, long most, int seed) {
        long step = Math.max(1, Math.ceilDiv(of, most));
        return new Points(1 + Math.floorMod(seed, step), step, ALL_MAX);
    }
}
