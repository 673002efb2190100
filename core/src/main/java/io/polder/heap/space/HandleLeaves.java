package io.polder.heap.space;

import io.polder.memory.Zeroing;
import io.polder.page.space.Extent;
import io.polder.page.space.PageSpace;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

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
 * <p><b>Passes.</b> Whoever allocates goes through the slots of a leaf once, from the first to the
 * last, and takes those that are free; then it asks for the next leaf: the lowest in which a
 * quarter was freed since its last pass, or else a new one. So low indexes are used first.
 *
 * <p><b>Memory.</b> Leaves are cut one after the other from pages. A leaf that has moved leaves its
 * place unused; when too much is unused, or most slots are free, {@link #rebuild} moves all leaves
 * to new pages, and the old ones can go back after a grace period.
 *
 * <p>Invariants, while none is rebuilt: every leaf lies in one of the pages; a reusable leaf
 * exists.
 *
 * <p>Thread-safe: its monitor guards all fields and the move of each leaf, and is held while a page
 * is taken. {@link #freed} takes it once in a quarter of a leaf.
 */
final class HandleLeaves {
    /** Slots of a leaf that must have been freed before it is passed again: guessed. */
    static final int REUSED_FROM = HandleTable.LEAF_SLOTS / 4;

    /** A leaf with at most so many objects is packed: saves nearly half of it at least. */
    static final int PACKED_UP_TO = HandleTable.LEAF_SLOTS / 2;

    private static final int LEAVES_MAX = Integer.MAX_VALUE - 8; // within 2^40 handles

    /** Pages of the table are of this size. */
    static final long PAGE_BYTES = PageSpace.GRANULE_BYTES;

    private static final long DENSE_BYTES = HandleTable.LEAF_SLOTS * (long) Long.BYTES;

    private final HandleTable table;
    private final HeapPages pages;
    private final FreedCounts freed = new FreedCounts();
    private final BitSet reusable = new BitSet();
    private List<Extent> tablePages = new ArrayList<>();
    private final List<Extent> ahead = new ArrayList<>();
    private long next;
    private long end;
    private int leafCount;

    HandleLeaves(HandleTable table, HeapPages pages) {
        this.table = table;
        this.pages = pages;
    }

    /**
     * The leaf to fill next: a dense one.
     *
     * @throws io.polder.memory.MemoryExhaustedException if there is no memory for a new one
     */
    synchronized int nextLeaf() {
        int leaf = reusable.nextSetBit(0);
        if (leaf < 0) {
            if (leafCount == LEAVES_MAX) {
                throw new OutOfMemoryError("a heap has at most 2^40 - 2^12 handles");
            }
            long at = cutLocked(DENSE_BYTES);
            Zeroing.zero(at, DENSE_BYTES);
            leaf = leafCount;
            table.setEntryLocked(leaf, at);
            leafCount++;
        } else {
            if ((table.entry(leaf) & HandleTable.PACKED) != 0) {
                moveLocked(leaf, true);
            }
            reusable.clear(leaf);
        }
        freed.reset(leaf);
        return leaf;
    }

    /** A slot of a leaf became free. */
    void freed(long index) {
        int leaf = (int) (index >>> HandleTable.SLOT_BITS);
        if (freed.increment(leaf) == REUSED_FROM) {
            synchronized (this) {
                reusable.set(leaf);
            }
        }
    }

    /** Room for a leaf, in the page that is cut up, or in a new one. */
    private long cutLocked(long bytes) {
        if (end - next < bytes) {
            Extent page = ahead.isEmpty() ? pages.take(PAGE_BYTES) : ahead.removeLast();
            tablePages.add(page);
            next = page.address();
            end = next + page.bytes();
        }
        long at = next;
        next += bytes;
        return at;
    }

    /**
     * Moves all leaves to new pages, and packs those with few objects. Not by two threads at once.
     *
     * @param pace lets others run in between
     * @return the old pages, to be given back after a grace period
     * @throws io.polder.memory.MemoryExhaustedException if there is no room for the new ones;
     *     nothing has moved then, but for what others needed meanwhile
     */
    List<Extent> rebuild(Pace pace) {
        takeAhead(leafCount());
        List<Extent> old;
        int count;
        synchronized (this) {
            count = leafCount; // here: none that came meanwhile stays in the old pages
            old = tablePages;
            tablePages = new ArrayList<>();
            next = 0;
            end = 0;
        }
        pace.begin();
        boolean moved = false;
        try {
            for (int leaf = 0; leaf < count; leaf++) {
                synchronized (this) {
                    moveLocked(leaf, false);
                }
                pace.did(DENSE_BYTES);
            }
            moved = true;
        } finally {
            pace.end();
            giveBackAhead();
            if (!moved) {
                synchronized (this) {
                    tablePages.addAll(old);
                }
            }
        }
        return old;
    }

    /** Takes all pages that so many leaves will need, or none. */
    private void takeAhead(int count) {
        long bytes = 0;
        for (int leaf = 0; leaf < count; leaf++) {
            synchronized (this) {
                int objects = new LeafCopy(table.entry(leaf)).objectsAtMost();
                bytes += isPacked(objects) ? PackedLeafLayout.bytes(objects) : DENSE_BYTES;
            }
        }
        long usable = PAGE_BYTES - PackedLeafLayout.bytes(HandleTable.LEAF_SLOTS);
        boolean taken = false;
        try {
            for (long room = 0; room < bytes; room += usable) {
                Extent page = pages.take(PAGE_BYTES);
                synchronized (this) {
                    ahead.add(page);
                }
            }
            taken = true;
        } finally {
            if (!taken) {
                giveBackAhead();
            }
        }
    }

    private synchronized void giveBackAhead() {
        while (!ahead.isEmpty()) {
            pages.give(ahead.removeLast(), 0);
        }
    }

    private static boolean isPacked(int objects) {
        return objects <= PACKED_UP_TO;
    }

    /** Copies a leaf, which nobody changes meanwhile, and says where it is. */
    private void moveLocked(int leaf, boolean dense) {
        long entry = table.entry(leaf);
        LeafCopy copy = new LeafCopy(entry);
        boolean pack = !dense && isPacked(copy.objectsAtMost());
        long to = cutLocked(pack ? PackedLeafLayout.bytes(HandleTable.LEAF_SLOTS) : DENSE_BYTES);
        copy.freeze();
        if (pack) {
            next = to + copy.writePacked(to); // less than what was cut: words became free
            table.setEntryLocked(leaf, to + HandleTable.PACKED);
        } else {
            copy.writeDense(to);
            table.setEntryLocked(leaf, to);
        }
    }

    /** Pages of a table nobody uses any more. */
    synchronized List<Extent> giveUpAll() {
        List<Extent> all = tablePages;
        tablePages = new ArrayList<>();
        return all;
    }

    synchronized long pageBytes() {
        return tablePages.size() * PAGE_BYTES;
    }

    synchronized int leafCount() {
        return leafCount;
    }

    /** Checks the invariants; nobody may be changing handles. */
    synchronized void verify() {
        for (int leaf = 0; leaf < leafCount; leaf++) {
            long at = table.entry(leaf) & ~HandleTable.PACKED;
            boolean inside = false;
            for (Extent page : tablePages) {
                inside |= at >= page.address() && at < page.address() + page.bytes();
            }
            if (!inside) {
                throw new AssertionError(
                        "a leaf lies in a page: leaf=" + leaf + ", at=0x" + Long.toHexString(at));
            }
        }
        if (reusable.length() > leafCount) {
            throw new AssertionError(
                    "a reusable leaf exists: reusable=" + reusable + ", leafCount=" + leafCount);
        }
    }
}
