package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.gate.Gate;
import io.polder.heap.HeapOptions;

import org.junit.jupiter.api.Test;

/** The table of a heap whose limit leaves room for one page more; addresses stand for objects. */
class TableCompactionTest extends SpaceFixture {
    private static final int PAGES = 7;
    private static final long LEAVES_IN_PAGE = TablePages.BYTES / (HandleTable.LEAF_SLOTS * 8L);

    /** Of so many words one is kept: more than a page of them, and less than half of the pages. */
    private static final int KEPT_ONE_OF = 4;

    private final HeapPages limited = pagesWithin((PAGES + 1) * TablePages.BYTES);
    private final HandleTable table = new HandleTable();
    private final HandleLeaves leaves = new HandleLeaves(table, limited);
    private final Throttle throttle = new Throttle(1, new EvacuationCounts());
    private final Gate access = new Gate(HeapSettings.of(HeapOptions.DEFAULT).fence());
    private final TableCompaction compaction = new TableCompaction(access, regions, leaves);

    @Override
    void giveBackMore() {
        HeapCheck.verify(leaves);
        leaves.giveUpAll();
        assertThat(limited.takenBytes()).isZero();
    }

    private static long word(int leaf, int slot) {
        long address = 8L * (slot + 1L + (long) leaf * HandleTable.LEAF_SLOTS);
        return HandleWordLayout.of(1, HandleWordLayout.LIVE, address);
    }

    private static long index(int leaf, int slot) {
        return ((long) leaf << HandleTable.SLOT_BITS) + slot;
    }

    /** Makes a table of so many pages; returns how many leaves it has. */
    private int fill(int pageCount) {
        int count = (int) (pageCount * LEAVES_IN_PAGE);
        for (int i = 0; i < count; i++) {
            int leaf = leaves.nextLeaf();
            for (int slot = 0; slot < HandleTable.LEAF_SLOTS; slot += KEPT_ONE_OF) {
                assertThat(table.compareAndSet(index(leaf, slot), 0, word(leaf, slot))).isTrue();
            }
        }
        assertThat(leaves.pageBytes()).isEqualTo(pageCount * TablePages.BYTES);
        return count;
    }

    /** Two pages, for words that one has room for: half is given back, but not again and again. */
    @Test
    void run_oneOfTwoPagesWouldDo_rebuildsOnce() {
        int count = fill(2);
        assertThat(leaves.pagesNeeded()).isEqualTo(1);

        assertThat(compaction.run(throttle, () -> false, false)).isTrue();
        assertThat(leaves.pageBytes()).isEqualTo(TablePages.BYTES);
        assertThat(leaves.moved()).isEqualTo(count);

        while (leaves.pageBytes() == TablePages.BYTES) {
            int _ = leaves.nextLeaf(); // one that was packed, and is not any more
        }
        assertThat(leaves.pagesNeeded()).isEqualTo(1);
        assertThat(compaction.run(throttle, () -> false, false)).isTrue();
        assertThat(leaves.moved()).as("as many objects as before").isEqualTo(count);
    }

    /** Who waits for room sees that there will be some, however long the whole table takes. */
    @Test
    void run_yieldsToOthers_hasGotOnByALeaf() {
        int _ = fill(PAGES);
        assertThat(leaves.moved()).isZero();
        assertThat(compaction.run(throttle, () -> true, false)).isFalse();
        assertThat(leaves.moved()).isEqualTo(1);
        assertThat(compaction.run(throttle, () -> true, false)).isFalse();
        assertThat(leaves.moved()).isEqualTo(2);
    }

    /** Goes on in the pages that it has emptied, and does not leave the rest for its next look. */
    @Test
    void run_roomForOnePageOfSeveral_rebuildsTheWholeTable() {
        int count = fill(PAGES);
        int needed = leaves.pagesNeeded();
        assertThat(needed).as("more than there is room for at once").isGreaterThan(1);

        assertThat(compaction.run(throttle, () -> false, false)).isTrue();
        assertThat(leaves.isRebuilding()).isFalse();
        assertThat(leaves.moved()).isEqualTo(count);
        assertThat(leaves.pageBytes()).isLessThanOrEqualTo(needed * TablePages.BYTES);
        for (int leaf = 0; leaf < count; leaf++) {
            for (int slot = 0; slot < HandleTable.LEAF_SLOTS; slot += KEPT_ONE_OF) {
                assertThat(table.word(index(leaf, slot))).isEqualTo(word(leaf, slot));
            }
        }
    }
}
