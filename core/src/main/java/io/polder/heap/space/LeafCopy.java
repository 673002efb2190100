package io.polder.heap.space;

import static io.polder.heap.space.HandleTable.LEAF_SLOTS;

/**
 * One leaf of the handle table, which may be on its way to another place.
 *
 * <p>Freezing it takes effect word by word: what was changed before is copied, what was not cannot
 * be changed until the directory names the copy.
 *
 * <p>The thread that freezes, writes and publishes a copy holds {@link HandleTable#moves}. A move
 * that fails leaves words frozen in a leaf that the directory names still; the thread that holds
 * that monitor next may {@link #thaw} them, or copy them.
 */
final class LeafCopy {
    private final long entry;

    /** The words as they were frozen, without that mark; of a slot without a word, its floor. */
    private long[] words = {};

    /**
     * A copy of nothing yet.
     *
     * @param entry of the directory: where the leaf is
     */
    LeafCopy(long entry) {
        this.entry = entry;
    }

    private long wordAddress(int slot) {
        return HandleTable.wordAddress(entry, slot);
    }

    /** How many words of the leaf are to be kept now: those of slots that cannot be used again. */
    int wordsAtMost() {
        int count = 0;
        for (int slot = 0; slot < LEAF_SLOTS; slot++) {
            long at = wordAddress(slot);
            count += at != 0 && isKept(HandleWordLayout.thawed(RawAccess.getAcquire(at))) ? 1 : 0;
        }
        return count;
    }

    /**
     * Whether a word is one of its own, of an object or of a slot without a generation left, and
     * not one that the floor of a packed leaf stands for.
     */
    private static boolean isKept(long word) {
        return !HandleWordLayout.isReusable(word);
    }

    /** Freezes all words. */
    void freeze() {
        words = new long[LEAF_SLOTS];
        long missing = HandleWordLayout.free(HandleTable.floorOf(entry));
        for (int slot = 0; slot < LEAF_SLOTS; slot++) {
            long at = wordAddress(slot);
            words[slot] = at == 0 ? missing : freeze(at);
        }
    }

    private static long freeze(long at) {
        while (true) {
            long word = RawAccess.getAcquire(at);
            if (RawAccess.compareAndSet(at, word, HandleWordLayout.frozen(word))) {
                return HandleWordLayout.thawed(word); // frozen before by a move that failed
            }
        }
    }

    /** Thaws the words of a leaf that does not move. */
    void thaw() {
        for (int slot = 0; slot < LEAF_SLOTS; slot++) {
            long at = wordAddress(slot);
            long word = at == 0 ? 0 : RawAccess.getAcquire(at);
            if (HandleWordLayout.isFrozen(word)) {
                RawAccess.setRelease(at, HandleWordLayout.thawed(word)); // nobody else changes it
            }
        }
    }

    /**
     * Writes a dense leaf.
     *
     * @return how long it is
     */
    long writeDense(long to) {
        for (int slot = 0; slot < LEAF_SLOTS; slot++) {
            RawAccess.setRelease(to + slot * (long) Long.BYTES, words[slot]);
        }
        return LEAF_SLOTS * (long) Long.BYTES;
    }

    /**
     * Writes a packed leaf.
     *
     * @return how long it is
     */
    long writePacked(long to) {
        PackedLeafLayout.clearBitmap(to);
        int floor = 0;
        int position = 0;
        for (int slot = 0; slot < LEAF_SLOTS; slot++) {
            long word = words[slot];
            if (isKept(word)) {
                PackedLeafLayout.add(to, slot, position, word);
                position++;
            } else {
                floor = Math.max(floor, HandleWordLayout.generation(word));
            }
        }
        PackedLeafLayout.setFloor(to, floor);
        return PackedLeafLayout.bytes(position);
    }
}
