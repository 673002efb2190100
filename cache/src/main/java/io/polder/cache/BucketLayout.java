package io.polder.cache;

/**
 * A bucket of the index: a cache line with a word about eight lanes, and their handles.
 *
 * <pre>{@code
 *   word 0   63    56 55                  8 7     5 4      0
 *           +--------+------- ... ---------+-------+--------+
 *           | lane 7 |                     | state |  tag   |   lane 0
 *           +--------+------- ... ---------+-------+--------+
 *   word 1          version      another line with lanes of this bucket: its number, negated
 *           63              32 31                                               0, or 0 for none
 *   words 2 to 5:   eight times  tag 2 bits | index of the handle 30 bits
 *   words 6 and 7:  eight times  generation of the handle 16 bits
 *
 *   state   0        1           2      3            4 5 6 7
 *           young    young, hit  old    old, hit     main, so many hits
 *           `------ on probation ----------'
 * }</pre>
 *
 * <p>A tag is 7 bits of the key's hash, of which the 5 in word 0 are never all 0: those of an empty
 * lane are, and its handle means nothing. Readers look at one value of word 0. Writers change it by
 * compare-and-set, since readers count hits in it.
 *
 * <p>What is not here of a handle all those of a heap have in common, as long as there are no more
 * than {@value #INDEX_MAX} of them: {@link Entries} makes no others.
 *
 * <p>The version is another one after an entry has left the line, or was replaced. It goes on when
 * the line is used for another bucket.
 */
final class BucketLayout {
    static final int LANES = 8;
    static final int LINK = 1;

    /** The first word with handles. */
    static final int HANDLES = 2;

    /** Where their indexes begin, in bytes, and where their generations do. */
    static final int INDEXES = HANDLES * Long.BYTES;

    static final int GENERATIONS = INDEXES + LANES * Integer.BYTES;

    static final int YOUNG = 0;
    static final int OLD = 2;
    static final int MAIN = 4;
    static final int HITS_MAX = 7;

    private static final int LANE_BITS = 8;

    /** From the bit of a state that says so to where lanes are marked. */
    private static final int MAIN_SHIFT = 2;

    /** Those of a tag's bits that are in word 0; the others are above the index. */
    private static final int TAG_BITS = 5;

    private static final int TAG_BITS_ALL = 7;
    private static final long TAG = (1L << TAG_BITS) - 1;
    private static final long STATE = 7;
    private static final long LANE = (1L << LANE_BITS) - 1;
    private static final long ONES = 0x0101_0101_0101_0101L;
    private static final long TAGS = ONES * TAG;
    private static final long ABOVE_TAGS = ONES << TAG_BITS;

    // As the heap has them in its handles.
    private static final int GENERATION_SHIFT = 40;
    private static final int INDEX_BITS = 30;
    static final int INDEX_MAX = (1 << INDEX_BITS) - 1;
    private static final long GENERATION = 0xFFFFL << GENERATION_SHIFT;

    private static final long LINK_BITS = (1L << Integer.SIZE) - 1;
    private static final long ONE_VERSION = 1L << Integer.SIZE;

    private BucketLayout() {}

    /** What a lane has of a tag and of a handle's index. */
    static int piece(int tag, long handle) {
        return tag >>> TAG_BITS << INDEX_BITS | ((int) handle & INDEX_MAX);
    }

    /** Whether a lane that matches has that tag. */
    static boolean hasTag(int piece, int tag) {
        return piece >>> INDEX_BITS == tag >>> TAG_BITS;
    }

    /** A handle without what all handles of a heap have in common. */
    static long handle(int piece, short generation) {
        return (piece & INDEX_MAX) | ((long) generation << GENERATION_SHIFT & GENERATION);
    }

    /** The index of a handle, which may be more than a lane has bits for. */
    static long index(long handle) {
        return handle & ((1L << GENERATION_SHIFT) - 1);
    }

    static short generation(long handle) {
        return (short) (handle >>> GENERATION_SHIFT);
    }

    /** What lanes do not have: it is the same for all handles of a heap. */
    static long heapPart(long handle) {
        return handle & ~(INDEX_MAX | GENERATION);
    }

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

    /** The tag of a hash, of 7 bits, of which those in word 0 are not all 0. */
    static int tag(long hash) {
        int bits = (int) (hash >>> (Long.SIZE - TAG_BITS_ALL));
        return (bits & TAG) == 0 ? bits + 1 : bits;
    }

    /**
     * Marks the lanes that have a tag, by its bits in word 0, all at once; {@link #first} says
     * which they are.
     */
    static long matches(long word, int tag) {
        long differs = (word ^ (tag & TAG) * ONES) & TAGS;
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

    /** Marks the lanes that have an entry on probation. */
    static long onProbation(long word) {
        return taken(word) & ~isMain(word);
    }

    /** Marks the lanes that have an entry of main. */
    static long main(long word) {
        return taken(word) & isMain(word);
    }

    /** The same of lanes that may be free, among other bits. */
    private static long isMain(long word) {
        return word >>> MAIN_SHIFT;
    }

    /** The first lane that is marked; some must be. */
    static int first(long marks) {
        return Long.numberOfTrailingZeros(marks) / LANE_BITS;
    }

    /** The same marks but the first. */
    static long rest(long marks) {
        return marks & (marks - 1);
    }

    /** Whether {@link #matches} marks a lane. */
    static boolean isMatch(long word, int lane, int tag) {
        return (((word >>> (lane * LANE_BITS)) ^ tag) & TAG) == 0;
    }

    static boolean isFree(long word, int lane) {
        return isMatch(word, lane, 0);
    }

    /** The tag of a lane. */
    static int tag(long word, int lane, int piece) {
        return piece >>> INDEX_BITS << TAG_BITS | (int) (word >>> (lane * LANE_BITS) & TAG);
    }

    static int state(long word, int lane) {
        return (int) (word >>> (lane * LANE_BITS + TAG_BITS) & STATE);
    }

    /** The same word with another state of a lane. */
    static long with(long word, int lane, int state) {
        int shift = lane * LANE_BITS + TAG_BITS;
        return (word & ~(STATE << shift)) | ((long) state << shift);
    }

    /** The same word with another tag and state of a lane. */
    static long with(long word, int lane, int tag, int state) {
        int shift = lane * LANE_BITS;
        return (word & ~(LANE << shift)) | ((((long) state << TAG_BITS) | (tag & TAG)) << shift);
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
