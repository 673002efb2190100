package io.polder.cache;

/**
 * A bucket of the index: a cache line with a word about six lanes, and their handles.
 *
 * <pre>{@code
 *   word 0   63  60 59       50                    9     7 6      0
 *           +------+-----------+------ ... --------+-------+--------+
 *           |   0  |  lane 5   |                   | state |  tag   |   lane 0
 *           +------+-----------+------ ... --------+-------+--------+
 *   word 1          version      another line with lanes of this bucket: its number, negated
 *           63              32 31                                               0, or 0 for none
 *   words 2 to 7:   the handles of the lanes
 *
 *   state   0        1           2      3            4 5 6 7
 *           young    young, hit  old    old, hit     main, so many hits
 *           `------ on probation ----------'
 * }</pre>
 *
 * <p>A tag has bits of the key's hash and is never 0: an empty lane has tag 0, and its handle means
 * nothing. Readers look at one value of word 0. Writers change it by compare-and-set, since readers
 * count hits in it.
 *
 * <p>The version is another one after an entry has left the line, or was replaced. It goes on when
 * the line is used for another bucket.
 */
final class BucketLayout {
    static final int LANES = 6;
    static final int LINK = 1;

    /** The word of a lane's handle is this plus the lane. */
    static final int HANDLES = 2;

    static final int YOUNG = 0;
    static final int OLD = 2;
    static final int MAIN = 4;
    static final int HITS_MAX = 7;

    private static final int LANE_BITS = 10;
    private static final int TAG_BITS = 7;
    private static final long TAG = (1L << TAG_BITS) - 1;
    private static final long LANE = (1L << LANE_BITS) - 1;
    private static final long ONES = 1L | 1L << 10 | 1L << 20 | 1L << 30 | 1L << 40 | 1L << 50;
    private static final long TAGS = ONES * TAG;
    private static final long ABOVE_TAGS = ONES << TAG_BITS;

    private static final long LINK_BITS = (1L << Integer.SIZE) - 1;
    private static final long ONE_VERSION = 1L << Integer.SIZE;

    private BucketLayout() {}

    /** The link in word 1. */
    static long link(long word) {
        return word & LINK_BITS;
    }

    /** The same word 1 with another link. */
    static long withLink(long word, long link) {
        return (word & ~LINK_BITS) | link;
    }

    /** Whether two values of word 1 have the same version. */
    static boolean isSameVersion(long word, long other) {
        return ((word ^ other) & ~LINK_BITS) == 0;
    }

    /** Word 1 after an entry has left the line, or was replaced. */
    static long changed(long word) {
        return word + ONE_VERSION;
    }

    /** The tag of a hash, from 1 to 127. */
    static int tag(long hash) {
        int bits = (int) (hash >>> (Long.SIZE - TAG_BITS));
        return bits == 0 ? 1 : bits;
    }

    /** Marks the lanes that have a tag, all at once; {@link #first} says which they are. */
    static long matches(long word, int tag) {
        long differs = (word ^ tag * ONES) & TAGS;
        return ~(differs + TAGS) & ABOVE_TAGS;
    }

    /** Marks the lanes that are free. */
    static long free(long word) {
        return matches(word, 0);
    }

    /** Marks the lanes that have an entry. */
    static long taken(long word) {
        return free(word) ^ ABOVE_TAGS;
    }

    /** The first lane that is marked; some must be. */
    static int first(long marks) {
        return Long.numberOfTrailingZeros(marks) / LANE_BITS;
    }

    /** The same marks but the first. */
    static long rest(long marks) {
        return marks & (marks - 1);
    }

    static int tag(long word, int lane) {
        return (int) ((word >>> (lane * LANE_BITS)) & TAG);
    }

    static int state(long word, int lane) {
        return (int) (word >>> (lane * LANE_BITS + TAG_BITS)) & 7;
    }

    /** The same word with another tag and state of a lane. */
    static long with(long word, int lane, int tag, int state) {
        int shift = lane * LANE_BITS;
        return (word & ~(LANE << shift)) | ((((long) state << TAG_BITS) | tag) << shift);
    }

    static boolean isMain(int state) {
        return state >= MAIN;
    }

    /** The state after a hit. */
    static int hit(int state) {
        return isMain(state) ? Math.min(state + 1, HITS_MAX) : state | 1;
    }

    /** How many hits a state remembers. */
    static int hits(int state) {
        return isMain(state) ? state - MAIN : state & 1;
    }
}
