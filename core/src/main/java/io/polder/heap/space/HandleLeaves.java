package io.polder.heap.space;

import io.polder.memory.MemoryExhaustedException;
import io.polder.memory.Zeroing;

import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Makes, finds and moves the leaves of a {@link HandleTable}.
 *
 * <pre>{@code
 *                next pass                       all words frozen, copied
 *   reusable ---------------> being filled            dense <-------> packed
 *      ^                          |
 *      +--- a quarter is freed ---+
 * }</pre>
 *
 * <p><b>Passes.</b> The thread that allocates goes through the slots of a leaf once, from the first
 * to the last, and takes those that are free; then it asks for the next leaf: the lowest in which a
 * quarter was freed since its last pass, or else a new one, or else, where there is no memory for
 * that, the lowest in which any was freed. So low indexes are used first. A slot whose object had
 * the last generation is not freed in this sense, and never used again.
 *
 * <p><b>Packed</b> leaves are reusable, also those that somebody was passing when they were packed:
 * that pass does not see the slots that are gone, and the next one does.
 *
 * <p><b>Memory.</b> Leaves are cut from {@link TablePages}. A leaf that has moved leaves its place
 * unused; when too much is unused, or most slots are free, {@link #rebuild} moves all leaves to new
 * pages, and the old ones go back after a grace period.
 *
 * <p>Invariants: every leaf lies in one of the pages; a reusable leaf exists.
 *
 * <p>Failure. The directory and the words are primary. A leaf that is taken by somebody who is cut
 * off is passed again when a quarter of it was freed once more, or when it was packed; one of which
 * the free that makes it reusable fails, when it was packed or memory is full.
 *
 * <p>Thread-safe: its monitor guards all fields and is held while a page is taken; who frees a slot
 * does not take it. A leaf is moved under it and {@link HandleTable#moves}.
 */
final class HandleLeaves {
    /** Slots of a leaf that must have been freed before it is passed again: guessed. */
    static final int REUSED_FROM = HandleTable.LEAF_SLOTS / 4;

    /** A leaf with at most so many words to keep is packed: saves nearly half of it at least. */
    static final int PACKED_UP_TO = HandleTable.LEAF_SLOTS / 2;

    private static final int LEAVES_MAX = Integer.MAX_VALUE - 8; // within 2^40 handles

    private static final long DENSE_BYTES = HandleTable.LEAF_SLOTS * (long) Long.BYTES;

    final HandleTable table;
    final TablePages pages;
    final FreedCounts freed = new FreedCounts();
    int leafCount;
    private boolean ended;

    /** How many leaves a rebuild has moved, and of how many; written by who compacts. */
    private volatile int moved;

    private int movedUpTo;

    /** No leaf yet. */
    HandleLeaves(HandleTable table, HeapPages pages) {
        this.table = table;
        this.pages = new TablePages(pages);
    }

    /**
     * Whether one of a leaf's slots is free. No page of the table goes back meanwhile: who asks may
     * be outside of the access gate.
     */
    synchronized boolean hasFree(long from, long end) {
        return !ended && table.firstFree(from, end) < end;
    }

    /**
     * The leaf to fill next: a dense one.
     *
     * @throws MemoryExhaustedException if there is no memory for a new one, nor any free slot
     */
    synchronized int nextLeaf() {
        if (ended) {
            return HeapSpace.refuse();
        }
        int leaf = freed.firstReusable();
        try {
            return leaf < 0 ? newLocked() : reusedLocked(leaf);
        } catch (MemoryExhaustedException full) {
            leaf = anyFreedLocked();
            if (leaf < 0) {
                throw full;
            }
            return reusedLocked(leaf);
        }
    }

    private int newLocked() {
        if (leafCount == LEAVES_MAX) {
            throw new OutOfMemoryError("a heap has at most 2^40 - 2^12 handles");
        }
        long at = pages.cutLocked(DENSE_BYTES, false);
        Zeroing.zero(at, DENSE_BYTES);
        int leaf = leafCount;
        freed.reset(leaf);
        pages.enteredLocked(at);
        table.setEntryLocked(leaf, at);
        leafCount++;
        return leaf;
    }

    private int reusedLocked(int leaf) {
        if (isPacked(table.entry(leaf))) {
            moveLocked(leaf, true, false);
        }
        freed.reset(leaf);
        return leaf;
    }

    /** The lowest leaf in which a slot was freed, and that needs no memory; -1 if none. */
    private int anyFreedLocked() {
        for (int leaf = 0; leaf < leafCount; leaf++) {
            if (freed.count(leaf) > 0 && !isPacked(table.entry(leaf))) {
                return leaf;
            }
        }
        return -1;
    }

    private static boolean isPacked(long entry) {
        return (entry & HandleTable.PACKED) != 0;
    }

    /**
     * A slot of a leaf became free.
     *
     * @param word what its object had; one of the last generation leaves nothing to be used again
     */
    void freed(long index, long word) {
        if (HandleWordLayout.generation(word) < HandleWordLayout.GENERATION_MAX) {
            freed.increment((int) (index >>> HandleTable.SLOT_BITS), REUSED_FROM);
        }
    }

    /**
     * Moves all leaves to new pages, and packs those with few objects; or goes on with that. Not by
     * two threads at once.
     *
     * @param throttle lets others run in between
     * @param yields says, after each leaf, whether others wait: the rest is for another time then
     * @param lastRoom whether the heap is full: they move into the rest of the page that is cut up,
     *     and then into what is left to evacuate objects to
     * @return whether all have moved
     * @throws MemoryExhaustedException if there is no room for the next page; what has moved has,
     *     and the rest is for the next time
     */
    boolean rebuild(Throttle throttle, BooleanSupplier yields, boolean lastRoom) {
        if (!isRebuilding()) {
            begin(!lastRoom);
        }
        throttle.begin();
        try {
            boolean goesOn = isRebuilding();
            while (goesOn) {
                synchronized (this) {
                    moveLocked(moved, false, lastRoom);
                    moved++;
                }
                throttle.did(DENSE_BYTES);
                goesOn = isRebuilding() && !yields.getAsBoolean();
            }
        } finally {
            throttle.end();
        }
        return !isRebuilding();
    }

    private synchronized void begin(boolean inNewPages) {
        if (inNewPages) {
            pages.beginAnewLocked(false); // first: where there is none, nothing has begun
        }
        moved = 0;
        movedUpTo = leafCount; // here: none that came meanwhile stays in the old pages
    }

    /** How many leaves the last rebuild has moved so far. */
    int moved() {
        return moved;
    }

    /** Whether a rebuild has begun and not ended. */
    boolean isRebuilding() {
        return moved < movedUpTo;
    }

    /** How many pages the leaves would take after a {@link #rebuild}, at most. */
    int pagesNeeded() {
        int count = leafCount();
        long bytes = 0;
        for (int leaf = 0; leaf < count; leaf++) {
            synchronized (this) {
                int words = new LeafCopy(table.entry(leaf)).wordsAtMost();
                bytes += words <= PACKED_UP_TO ? PackedLeafLayout.bytes(words) : DENSE_BYTES;
            }
        }
        long usable = TablePages.BYTES - PackedLeafLayout.bytes(HandleTable.LEAF_SLOTS);
        return (int) ((bytes + usable - 1) / usable);
    }

    /** Pages in which there is no leaf any more: to be given back after a grace period. */
    synchronized List<TablePages.Place> unused() {
        return pages.unusedLocked();
    }

    /** Gives back pages that were unused before a grace period. */
    synchronized void give(List<TablePages.Place> unused) {
        unused.forEach(pages::giveLocked);
    }

    /** Copies a leaf, which nobody changes meanwhile, and says where it is. */
    private void moveLocked(int leaf, boolean dense, boolean lastRoom) {
        long entry = table.entry(leaf);
        LeafCopy copy = new LeafCopy(entry);
        boolean pack = !dense && copy.wordsAtMost() <= PACKED_UP_TO;
        if (pack) {
            freed.setReusable(leaf);
        }
        long to =
                pages.cutLocked(
                        pack ? PackedLeafLayout.bytes(HandleTable.LEAF_SLOTS) : DENSE_BYTES,
                        lastRoom);
        synchronized (table.moves) {
            copy.freeze();
            long bytes = pack ? copy.writePacked(to) : copy.writeDense(to);
            pages.enteredLocked(to);
            table.setEntryLocked(leaf, pack ? to + HandleTable.PACKED : to);
            pages.leftLocked(entry);
            pages.cutOnlyLocked(to + bytes); // fewer than what was cut: words became free
        }
    }

    /** Gives back the pages of a table nobody uses any more. */
    synchronized void giveUpAll() {
        ended = true;
        pages.giveAllLocked();
    }

    synchronized long pageBytes() {
        return pages.bytesLocked();
    }

    synchronized int leafCount() {
        return leafCount;
    }
}
