package io.polder.page.space;

/**
 * The free runs of one kind in one reservation, by size and by address.
 *
 * <pre>{@code
 *   all           a bit for the first granule of each run
 *   slots  1      a bit for the first granule of each run of one granule
 *          ..
 *          31     ... of 31 granules
 *          32     ... of 32 to 63 granules, and so on by powers of two
 *   present       a bit for each slot that has runs
 * }</pre>
 *
 * <p>Lists of runs would give any one; these sets give the lowest or the highest as fast. Sizes
 * that are asked for often have a slot of their own, so that a run that is long enough is found
 * without looking at those that are not. Runs of larger slots are few, and looked through.
 *
 * <p><b>Failure.</b> All of it is derived from the granules of the {@link PageReservation}, which
 * fills it again after a change that was cut short. Nothing makes an object but the constructor: so
 * what is given is taken back also where the Java heap is full.
 *
 * <p>Not thread-safe: guarded by the lock of the {@link PageState} it belongs to.
 */
final class RunIndex {
    /** Below this each number of granules has a slot: twice a page of 32 MiB. */
    static final int EXACT = 32;

    /** The slot of runs of {@link #EXACT} granules and more, less its class. */
    private static final int SHIFT = EXACT - Granules.runClass(EXACT);

    static final int SLOTS = SHIFT + Integer.SIZE;

    /** How many granules a run has, by its first. */
    final int[] lengths;

    final BitTree all;
    final BitTree[] slots = new BitTree[SLOTS];

    /**
     * How many the runs of a slot have together; of slots from {@link #EXACT} on, as others need no
     * sum.
     */
    final long[] granules = new long[SLOTS];

    long present;

    /**
     * An empty index.
     *
     * @param lengths how many granules a run has, by its first
     */
    RunIndex(int[] lengths) {
        this.lengths = lengths;
        this.all = new BitTree(lengths.length);
        for (int slot = 0; slot < SLOTS; slot++) {
            // No run is longer than the reservation.
            slots[slot] = new BitTree(slot <= slot(lengths.length) ? lengths.length : 1);
        }
    }

    static int slot(int count) {
        return count < EXACT ? count : SHIFT + Granules.runClass(count);
    }

    void add(int first, int count) {
        int slot = slot(count);
        slots[slot].set(first);
        all.set(first);
        present |= 1L << slot;
        if (slot >= EXACT) {
            granules[slot] += count;
        }
    }

    void remove(int first, int count) {
        int slot = slot(count);
        BitTree tree = slots[slot];
        tree.clear(first);
        all.clear(first);
        if (tree.count == 0) {
            present &= ~(1L << slot);
        }
        if (slot >= EXACT) {
            granules[slot] -= count;
        }
    }

    /** Removes all runs, also after a change that was cut short. */
    void clear() {
        all.clearAll();
        for (int slot = 0; slot < SLOTS; slot++) {
            slots[slot].clearAll();
            granules[slot] = 0;
        }
        present = 0;
    }

    /** How many granules the runs of a slot have together. */
    private long granulesIn(int slot) {
        return slot < EXACT ? (long) slot * slots[slot].count : granules[slot];
    }

    /**
     * The first granule of the highest run that begins at a granule or before it, or {@link
     * BitTree#NONE}.
     */
    int startAtOrBefore(int granule) {
        return all.get(granule) ? granule : all.before(granule);
    }

    /** How many pieces of so many granules the runs have that are long enough, at least. */
    long pieces(int count) {
        int own = slot(count);
        long pieces = count == least(own) ? slots[own].count : countInSlot(own, count);
        for (long rest = present & -2L << own; rest != 0; rest &= rest - 1) {
            int slot = Long.numberOfTrailingZeros(rest);
            pieces += (long) slots[slot].count * (least(slot) / count);
        }
        return pieces;
    }

    /** How many runs of a slot have so many granules, which none has twice. */
    private int countInSlot(int slot, int count) {
        int found = 0;
        int first = highestAmong(slot, count, lengths.length);
        while (first != BitTree.NONE) {
            found++;
            first = highestAmong(slot, count, first);
        }
        return found;
    }

    /**
     * How many granules the runs have together that have less than so many; without those, of 32
     * granules and more, whose slot has longer ones.
     */
    long granulesShorter(int count) {
        long sum = 0;
        for (int slot = 1; slot < slot(count); slot++) {
            sum += granulesIn(slot);
        }
        return sum;
    }

    /** The least slot that has runs, if its runs are shorter than so many granules; else 0. */
    int slotShorter(int count) {
        long shorter = present & (1L << slot(count)) - 1;
        return shorter == 0 ? 0 : Long.numberOfTrailingZeros(shorter);
    }

    /** The first granule of the highest run of a slot, which has some. */
    int highestInSlot(int slot) {
        return slots[slot].last();
    }

    /**
     * The first granule of a run of at least so many granules, or {@link BitTree#NONE}: the highest
     * of those whose slot says that they are large enough; if there is none, the highest large
     * enough of the slot below.
     */
    int highestFitting(int count) {
        int slot = slot(count);
        int sure = count == least(slot) ? slot : slot + 1;
        int highest = highestOf(present >>> sure << sure);
        return highest != BitTree.NONE || sure == slot
                ? highest
                : highestAmong(slot, count, lengths.length);
    }

    /** How many granules the runs of a slot have at least. */
    static int least(int slot) {
        return slot < EXACT ? slot : 1 << (slot - SHIFT);
    }

    private int highestOf(long someSlots) {
        int highest = BitTree.NONE;
        for (long rest = someSlots; rest != 0; rest &= rest - 1) {
            highest = Math.max(highest, slots[Long.numberOfTrailingZeros(rest)].last());
        }
        return highest;
    }

    /** Looks through the runs of a slot, which has shorter and longer ones, below a granule. */
    private int highestAmong(int slot, int count, int below) {
        if ((present & 1L << slot) == 0) {
            return BitTree.NONE;
        }
        BitTree tree = slots[slot];
        int first = below == lengths.length ? tree.last() : tree.before(below);
        while (first != BitTree.NONE && lengths[first] < count) {
            first = tree.before(first);
        }
        return first;
    }
}
