package io.polder.arena.recycling;

import java.util.Arrays;

/**
 * The blocks of a recycling arena: where each is, how large, in which state, and next to which.
 *
 * <pre>{@code
 *   words    | none | block 1 | block 2 | ...                 four words a block
 *
 *   block:   address | size << 2, state | before, after | first link, second link
 *
 *   memory   [ block 3 ][ block 7 ][ block 1 ]      [ block 5 ][ block 2 ]
 *              3 <-before, after-> 7              a span ends where the arena left a gap
 * }</pre>
 *
 * <p>A block covers whole grains. It keeps the size that was asked for while it is {@link #LIVE},
 * for it is freed by that, and its extent otherwise. Blocks that touch are linked, through splits
 * and merges, as far as the table knows: it compares a block of new memory with the ends of the
 * last few contiguous spans that grew. Any two blocks that touch may be merged: the arena behind
 * owns the memory of both until it closes as a whole, whichever chunks that memory lies in.
 *
 * <p>The two links are for whoever holds the block by its state: {@link AddressIndex}, a list of
 * {@link FreeBlocks}, {@link FreeTree}. What a block gives up when removed is spare, linked by the
 * first link.
 *
 * <p>Invariants: {@code after(a) == b} iff {@code before(b) == a}, and then {@code end(a) ==
 * address(b)}; blocks do not overlap; each number below {@code next} is a block, or spare.
 *
 * <p>Failure: {@link #makeRoom} alone allocates on the heap.
 *
 * <p>Not thread-safe.
 */
final class BlockTable {
    /** No block. */
    static final int NONE = 0;

    /** The state of a number that is no block. */
    static final int SPARE = 0;

    /** In {@link FreeBlocks}. */
    static final int FREE = 1;

    /** Handed out. */
    static final int LIVE = 2;

    /** The block that was freed last, not yet coalesced with what is free beside it. */
    static final int RECENT = 3;

    /** Sizes are rounded up to this, and addresses are multiples of it: as {@code malloc} does. */
    static final long GRAIN_BYTES = 16;

    private static final int STRIDE = 4;
    private static final int SIZE = 1;
    private static final int NEIGHBOURS = 2;
    private static final int LINKS = 3;

    private static final int STATE_BITS = 2;
    private static final long STATE_MASK = (1 << STATE_BITS) - 1;
    private static final long LOW_HALF = 0xFFFF_FFFFL;

    /** Small and large blocks may grow different spans in turn; guessed to be enough. */
    private static final int ENDS = 4;

    private static final int CAPACITY_AT_FIRST = 16;

    private long[] words = new long[STRIDE * CAPACITY_AT_FIRST];
    private int next = 1;
    private int spare = NONE;
    private int spareCount;

    /** Blocks that end a span, or did: believed only if the address fits. */
    private final int[] ends = new int[ENDS];

    private int oldestEnd;

    /** What a size takes up: whole grains, at least one; negative if there is no such number. */
    static long extent(long byteSize) {
        return (Math.max(1, byteSize) + GRAIN_BYTES - 1) & -GRAIN_BYTES;
    }

    /** Makes sure that so many blocks can be added without allocating on the heap. */
    void makeRoom(int count) {
        int capacity = words.length / STRIDE;
        if (capacity - next + spareCount < count) {
            int wanted = Math.max(capacity + (capacity >> 1), next + count);
            words = Arrays.copyOf(words, Math.multiplyExact(wanted, STRIDE));
        }
    }

    /** Adds a free block of new memory; links it with the block that it touches, if known. */
    int addNew(long address, long extent) {
        int block = create(address, extent, FREE);
        for (int i = 0; i < ENDS; i++) {
            int end = ends[i];
            if (end != NONE && state(end) != SPARE && end(end) == address) {
                link(end, block);
                ends[i] = block;
                return block;
            }
        }
        ends[oldestEnd] = block;
        oldestEnd = (oldestEnd + 1) % ENDS;
        return block;
    }

    /**
     * Splits a block that is not live.
     *
     * @param at the first byte of the upper part, inside the block
     * @return the upper part, in the state of the block
     */
    int split(int block, long at) {
        int upper = create(at, end(block) - at, state(block));
        set(block, at - address(block), state(block));
        int after = after(block);
        link(block, upper);
        if (after == NONE) {
            moveEnd(block, upper);
        } else {
            link(upper, after);
        }
        return upper;
    }

    /** Makes one block of a free block and the block right after it, which is gone then. */
    void merge(int block, int upper) {
        int after = after(upper);
        set(block, end(upper) - address(block), FREE);
        words[STRIDE * block + NEIGHBOURS] = pair(before(block), after);
        if (after == NONE) {
            moveEnd(upper, block);
        } else {
            link(block, after);
        }
        remove(upper);
    }

    private void moveEnd(int from, int to) {
        for (int i = 0; i < ENDS; i++) {
            if (ends[i] == from) {
                ends[i] = to;
            }
        }
    }

    private int create(long address, long size, int state) {
        int block = spare;
        if (block == NONE) {
            block = next++;
        } else {
            spare = first(block);
            spareCount--;
        }
        words[STRIDE * block] = address;
        set(block, size, state);
        words[STRIDE * block + NEIGHBOURS] = 0;
        words[STRIDE * block + LINKS] = 0;
        return block;
    }

    private void link(int lower, int upper) {
        words[STRIDE * lower + NEIGHBOURS] = pair(before(lower), upper);
        words[STRIDE * upper + NEIGHBOURS] = pair(lower, after(upper));
    }

    /** Forgets a block whose memory is not to be used again, or belongs to another block now. */
    void remove(int block) {
        int at = STRIDE * block;
        long links = pair(spare, NONE);
        words[at + SIZE] = SPARE; // decides
        words[at] = 0;
        words[at + NEIGHBOURS] = 0;
        words[at + LINKS] = links;
        spare = block;
        spareCount++;
    }

    /**
     * Forgets every block that is not live, and who are neighbours: for when a change was cut off.
     */
    void forgetAllButLive() {
        Arrays.fill(ends, NONE);
        int last = NONE;
        int count = 0;
        for (int block = 1; block < next; block++) {
            int at = STRIDE * block;
            words[at + NEIGHBOURS] = 0;
            if ((words[at + SIZE] & STATE_MASK) != LIVE) {
                words[at] = 0;
                words[at + SIZE] = SPARE;
                words[at + LINKS] = pair(last, NONE);
                last = block;
                count++;
            }
        }
        spare = last;
        spareCount = count;
    }

    /** Cuts the links of a block with those beside it. */
    void detach(int block) {
        int before = before(block);
        int after = after(block);
        if (before != NONE) {
            words[STRIDE * before + NEIGHBOURS] = pair(before(before), NONE);
        }
        if (after != NONE) {
            words[STRIDE * after + NEIGHBOURS] = pair(NONE, after(after));
        }
        words[STRIDE * block + NEIGHBOURS] = 0;
    }

    /** Sets the size, as asked for or the extent, and the state. */
    void set(int block, long size, int state) {
        words[STRIDE * block + SIZE] = (size << STATE_BITS) | state;
    }

    long address(int block) {
        return words[STRIDE * block];
    }

    long size(int block) {
        return words[STRIDE * block + SIZE] >>> STATE_BITS;
    }

    int state(int block) {
        return (int) (words[STRIDE * block + SIZE] & STATE_MASK);
    }

    long extent(int block) {
        return extent(size(block));
    }

    long end(int block) {
        return address(block) + extent(block);
    }

    int before(int block) {
        return (int) (words[STRIDE * block + NEIGHBOURS] >>> 32);
    }

    int after(int block) {
        return (int) words[STRIDE * block + NEIGHBOURS];
    }

    int first(int block) {
        return (int) (words[STRIDE * block + LINKS] >>> 32);
    }

    int second(int block) {
        return (int) words[STRIDE * block + LINKS];
    }

    void setFirst(int block, int link) {
        setLinks(block, link, second(block));
    }

    void setSecond(int block, int link) {
        setLinks(block, first(block), link);
    }

    void setLinks(int block, int first, int second) {
        words[STRIDE * block + LINKS] = pair(first, second);
    }

    private static long pair(int high, int low) {
        return ((long) high << 32) | (low & LOW_HALF);
    }

    /** Above all numbers that are or were blocks. */
    int next() {
        return next;
    }

    int spareCount() {
        return spareCount;
    }
}
