package io.polder.cache;

/**
 * Which bucket a hash belongs to, while the number of buckets grows and shrinks by one at a time.
 *
 * <pre>{@code
 *   buckets = 11, level = 8      0 1 2 | 3 4 5 6 7 | 8 9 10
 *                                split   not yet     split off 0, 1 and 2
 *
 *   state   63      40 39       0
 *          +----------+-----------+
 *          |   moves  |  buckets  |
 *          +----------+-----------+
 * }</pre>
 *
 * <p>A bucket that is split off has all its low bits but the highest in common with the one it was
 * split off from. The state is another one after each split and merge, so that who finds nothing
 * can tell whether entries have moved meanwhile.
 */
final class LinearHashing {
    private static final int MOVES_SHIFT = 40;
    private static final long BUCKETS = (1L << MOVES_SHIFT) - 1;

    /** Is added to a state after some entries have moved, with how many buckets there are more. */
    static final long MOVE = 1L << MOVES_SHIFT;

    private LinearHashing() {}

    static long state(long moves, long buckets) {
        return moves << MOVES_SHIFT | buckets;
    }

    static long buckets(long state) {
        return state & BUCKETS;
    }

    /** The bucket of a hash. */
    static long bucket(long hash, long buckets) {
        long level = Long.highestOneBit(buckets);
        long bucket = hash & (2 * level - 1);
        return bucket < buckets ? bucket : bucket - level;
    }

    /** What a bucket was split off from. */
    static long parent(long bucket) {
        return bucket - Long.highestOneBit(bucket);
    }
}
