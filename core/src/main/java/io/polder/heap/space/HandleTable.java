package io.polder.heap.space;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * Where the objects are: a word for each handle, off-heap, in leaves that can be moved.
 *
 * <pre>{@code
 *   handle's index  =  leaf | slot
 *                       |
 *   directory:  [ leaf 0 | leaf 1 | leaf 2 | ... ]        Java array; grows by copying
 *                   |         |
 *                   v         v
 *                 dense     packed, most slots free:
 *                 512       floor | bitmap 512 bits | the words of the slots that are not free
 *                 words
 * }</pre>
 *
 * <p>A <b>dense</b> leaf has a word for each slot ({@link HandleWordLayout}). A <b>packed</b> one,
 * made when most handles have been freed, keeps the words of objects, and of slots that had the
 * last generation; of the others it knows the greatest generation, the <i>floor</i>, which is what
 * they have when the leaf is made dense again.
 *
 * <p><b>Words change</b> by compare-and-set only, by the thread that is inside the access gate, and
 * not while they are frozen.
 *
 * <p><b>A leaf moves</b> ({@link HandleLeaves}) so: all words are frozen, copied, and the directory
 * names the copy. What the old leaf took is used again after a grace period. A reader that finds a
 * frozen word looks into the directory again: if that is unchanged, so was the word when it was
 * read. The thread that wants to change a frozen word waits for the monitor under which leaves are
 * moved; if the word is where it was then, and frozen still, the move failed, and the thread that
 * finds it so thaws the leaf.
 *
 * <p>Thread-safe. The directory and its entries are written by {@link HandleLeaves} under its lock;
 * entries are published with release and read with acquire.
 */
final class HandleTable {
    /** The bits of an index that name a slot in its leaf. */
    static final int SLOT_BITS = 9;

    /** Slots in a leaf: so that a dense one is an OS page. */
    static final int LEAF_SLOTS = 1 << SLOT_BITS;

    /** In an entry of the directory: the leaf is packed. */
    static final long PACKED = 1;

    private static final VarHandle ENTRY = MethodHandles.arrayElementVarHandle(long[].class);

    /** Held while a leaf is moved, and nothing else is taken under it. */
    final Object moves = new Object();

    private volatile long[] directory = new long[16];

    /**
     * The word of a slot, if its leaf is dense; 0 if not. May be frozen, and be out of date then.
     *
     * <p>For the common case: less code than {@link #word}.
     */
    long wordIfDense(long index) {
        long[] entries = directory;
        long leaf = index >>> SLOT_BITS;
        if (leaf >= entries.length) {
            return 0;
        }
        long entry = (long) ENTRY.getAcquire(entries, (int) leaf);
        return (entry & PACKED) == 0 && entry != 0
                ? RawAccess.getAcquire(entry + (index & (LEAF_SLOTS - 1)) * Long.BYTES)
                : 0;
    }

    /**
     * Where the word of a slot is now.
     *
     * @return its address; 0 if the slot is unknown, or free in a packed leaf
     */
    long wordAddress(long index) {
        return wordAddress(entryOf(index), (int) index & (LEAF_SLOTS - 1));
    }

    /** Where the word of a slot is in the leaf of an entry; 0 if it is not there. */
    static long wordAddress(long entry, int slot) {
        if ((entry & PACKED) != 0) {
            return PackedLeafLayout.wordAddress(entry - PACKED, slot);
        }
        return entry == 0 ? 0 : entry + slot * (long) Long.BYTES;
    }

    /**
     * The word of a slot, never frozen; that of a free slot with generation 0 if it has none.
     *
     * <p>A word that is frozen counts if the leaf has not moved when it was read.
     */
    long word(long index) {
        long at = wordAddress(index);
        while (at != 0) {
            long word = RawAccess.getAcquire(at);
            if (!HandleWordLayout.isFrozen(word)) {
                return word;
            }
            long again = wordAddress(index);
            if (again == at) {
                return HandleWordLayout.thawed(word);
            }
            at = again;
        }
        return 0;
    }

    /** The first slot from an index on that is free; the end if there is none. */
    long firstFree(long from, long end) {
        long index = from;
        while (index < end && !isFree(wordAddress(index))) {
            index++;
        }
        return index;
    }

    private static boolean isFree(long word) {
        return word != 0 && HandleWordLayout.isReusable(RawAccess.getAcquire(word));
    }

    /** The last generation that a slot without a word may have had; 0 if it never had one. */
    int floor(long index) {
        return floorOf(entryOf(index));
    }

    /** That of the leaf of an entry. */
    static int floorOf(long entry) {
        return (entry & PACKED) != 0 ? PackedLeafLayout.floor(entry - PACKED) : 0;
    }

    /**
     * Changes a word, if it is what is expected.
     *
     * @param index the slot
     * @param expected what it is to be now, not frozen
     * @param word what it will be
     * @return whether it was as expected
     */
    boolean compareAndSet(long index, long expected, long word) {
        while (true) {
            long at = wordAddress(index);
            if (at == 0) {
                return false;
            }
            if (RawAccess.compareAndSet(at, expected, word)) {
                return true;
            }
            long now = RawAccess.getAcquire(at);
            if (now != HandleWordLayout.frozen(expected)) {
                if (now == expected) {
                    continue; // it was something else for a moment
                }
                if (!HandleWordLayout.isFrozen(now) || wordAddress(index) == at) {
                    return false;
                }
            }
            awaitMove(index);
        }
    }

    /** Waits until the leaf of a slot has moved; thaws it if its move failed. */
    private void awaitMove(long index) {
        synchronized (moves) {
            long entry = entryOf(index);
            long at = wordAddress(index);
            if (at != 0 && HandleWordLayout.isFrozen(RawAccess.getAcquire(at))) {
                new LeafCopy(entry).thaw();
            }
        }
    }

    /** The address of a leaf, with {@link #PACKED} in its lowest bit; 0 if there is none. */
    long entry(int leaf) {
        long[] entries = directory;
        return leaf < entries.length ? (long) ENTRY.getAcquire(entries, leaf) : 0;
    }

    /** That of the leaf of a slot. */
    private long entryOf(long index) {
        return entry((int) (index >>> SLOT_BITS)); // an int, as the index has 40 bits at most
    }

    /** Says where a leaf is from now on. */
    void setEntryLocked(int leaf, long entry) {
        long[] entries = directory;
        if (leaf >= entries.length) {
            long[] larger = Arrays.copyOf(entries, Math.max(leaf + 1, entries.length * 2));
            larger[leaf] = entry;
            directory = larger;
            return;
        }
        ENTRY.setRelease(entries, leaf, entry);
    }
}
