package io.polder.heap.space;

/**
 * What stands in the handle table about one object.
 *
 * <pre>{@code
 *   63          48 47   46     45     44                                 0
 *  +--------------+-------+--------+--------------------------------------+
 *  |  generation  | state | frozen |   address of the object / 8          |
 *  +--------------+-------+--------+--------------------------------------+
 * }</pre>
 *
 * <p>The generation counts who has had this slot; a handle carries the one it was made with. While
 * a slot is free the address is 0, and the generation is that of the last object.
 *
 * <pre>{@code
 *            allocate                 pin
 *    FREE -----------> LIVE ---------------------> PINNED
 *     ^                |  ^                         |  ^
 *     |     copied, at |  | copied; end of cycle    |  |  somebody changes it; no room
 *     |   its new      +--+                  cycle  |  |
 *     |   address      |  +--------------------- UNPINNED
 *     +----------------+--- free, of all three
 * }</pre>
 *
 * <p><b>Frozen</b> is a word whose leaf of the table moves: it keeps its value and nobody may
 * change it; the {@link HandleTable} names another word soon.
 */
final class HandleWordLayout {
    /** No object. */
    static final int FREE = 0;

    /** An object that may be evacuated. */
    static final int LIVE = 1;

    /** An object that stays where it is until the cycle has ended. */
    static final int PINNED = 2;

    /** An object that was pinned and may be evacuated again, as soon as nobody changes it. */
    static final int UNPINNED = 3;

    /** The last generation: its slot is never used again. */
    static final int GENERATION_MAX = 0xFFFF;

    private static final int ADDRESS_BITS = 45;
    private static final int ADDRESS_SHIFT = 3;
    private static final int STATE_SHIFT = 46;
    private static final int GENERATION_SHIFT = 48;
    private static final long ADDRESS_MASK = (1L << ADDRESS_BITS) - 1;
    private static final long FROZEN = 1L << ADDRESS_BITS;
    private static final long STATE_MASK = 3L << STATE_SHIFT;

    private HandleWordLayout() {}

    /** A word of an object. */
    static long of(int generation, int state, long address) {
        return ((long) generation << GENERATION_SHIFT)
                | ((long) state << STATE_SHIFT)
                | (address >>> ADDRESS_SHIFT);
    }

    /** The word of a free slot that had so many objects. */
    static long free(int generation) {
        return (long) generation << GENERATION_SHIFT;
    }

    static int generation(long word) {
        return (int) (word >>> GENERATION_SHIFT);
    }

    static int state(long word) {
        return (int) (word >>> STATE_SHIFT) & 3;
    }

    /** An address, of which the compiler knows then how large it is at most. */
    static long bounded(long address) {
        return address & ((1L << (ADDRESS_BITS + ADDRESS_SHIFT)) - 1);
    }

    static long address(long word) {
        return (word & ADDRESS_MASK) << ADDRESS_SHIFT;
    }

    static boolean isFrozen(long word) {
        return (word & FROZEN) != 0;
    }

    static long frozen(long word) {
        return word | FROZEN;
    }

    static long thawed(long word) {
        return word & ~FROZEN;
    }

    /** The same object in another state. */
    static long inState(long word, int state) {
        return (word & ~STATE_MASK) | ((long) state << STATE_SHIFT);
    }

    /** The same object in the state LIVE, elsewhere. */
    static long movedTo(long word, long address) {
        return of(generation(word), LIVE, address);
    }

    /**
     * Whether it is the word of an object with this generation which is LIVE and not frozen: all
     * that a look at the upper bits tells.
     *
     * @param generation any number; one that is no generation has no object
     */
    static boolean isLiveOf(long word, long generation) {
        return word >>> ADDRESS_BITS == (generation << 3 | LIVE << 1);
    }

    /** Whether it is the word of an object with this generation. */
    static boolean names(long word, int generation) {
        return generation(word) == generation && (word & STATE_MASK) != 0;
    }

    /** Whether an object could get the slot: it is free, and has a generation left. */
    static boolean isReusable(long word) {
        return (word & (STATE_MASK | FROZEN)) == 0 && generation(word) < GENERATION_MAX;
    }
}
