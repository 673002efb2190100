package io.polder.lab.experiments.pages;

import io.polder.lab.experiments.pages.HeapPage.State;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Slots that refer to objects, and the pages that these lie in: what a Java heap knows once it is
 * marked.
 *
 * <pre>{@code
 * slots of a kind   | page, index |   |   | ...
 *                        |      ^
 *                        v      | slots[index]
 *                      HeapPage
 * }</pre>
 *
 * <p>Invariants: a slot refers to (page, index) iff {@code page.slots[index]} is the slot; a page
 * that is full has live objects, else it is gone.
 *
 * <p>Locking: the monitor guards everything, pages included. No page is taken or given under it:
 * methods return pages that are to be given.
 */
final class ObjectHeap {
    /** Instead of an id: nobody needs the object. */
    static final long DEAD = 0;

    private final Slots small;
    private final Slots medium;

    private HeapPage[] pages = new HeapPage[1 << 10];
    private int pageCount;

    /** The slots of a kind; {@code page[i] == null}: slot i refers to nothing. */
    private static final class Slots {
        final ObjectKind kind;
        final @Nullable HeapPage[] page;
        final int[] index;
        long pageBytes;
        int live;

        Slots(ObjectKind kind, int count) {
            this.kind = kind;
            page = new @Nullable HeapPage[count];
            index = new int[count];
        }
    }

    /** A heap whose slots refer to nothing. */
    ObjectHeap(int smallSlots, int mediumSlots) {
        small = new Slots(ObjectKind.SMALL, smallSlots);
        medium = new Slots(ObjectKind.MEDIUM, mediumSlots);
    }

    private Slots slots(ObjectKind kind) {
        return kind == ObjectKind.SMALL ? small : medium;
    }

    /** Adds a page that is being filled. */
    synchronized void add(HeapPage page) {
        if (pageCount == pages.length) {
            pages = Arrays.copyOf(pages, 2 * pageCount);
        }
        page.position = pageCount;
        pages[pageCount++] = page;
        slots(page.kind).pageBytes += page.taken.bytes();
    }

    /** No more objects will be put into a page; returns whether it is to be given, being empty. */
    synchronized boolean retire(HeapPage page) {
        page.state = State.FULL;
        return goIfEmptyLocked(page);
    }

    private boolean goIfEmptyLocked(HeapPage page) {
        if (page.live > 0) {
            return false;
        }
        page.state = State.GONE;
        slots(page.kind).pageBytes -= page.taken.bytes();
        HeapPage last = pages[--pageCount];
        pages[page.position] = last;
        last.position = page.position;
        return true;
    }

    /**
     * Lets a slot refer to a new object. What it referred to is checked, and dead.
     *
     * @param id what is written into the object, not {@link #DEAD}
     * @return a page that is to be given, if it was the last in one
     */
    synchronized @Nullable HeapPage set(int slot, HeapPage page, int index, long id) {
        Slots slots = slots(page.kind);
        HeapPage emptied = dropLocked(slots, slot);
        slots.page[slot] = page;
        slots.index[slot] = index;
        slots.live++;
        page.slots[index] = slot;
        page.ids[index] = id;
        page.live++;
        return emptied;
    }

    private @Nullable HeapPage dropLocked(Slots slots, int slot) {
        HeapPage page = slots.page[slot];
        if (page == null) {
            return null;
        }
        int index = slots.index[slot];
        Stamp.check(slots.kind, page.address(index), page.ids[index]);
        slots.page[slot] = null;
        slots.live--;
        page.slots[index] = HeapPage.NONE;
        page.live--;
        return page.state == State.FULL && goIfEmptyLocked(page) ? page : null;
    }

    /** Drops all objects of a kind; returns the pages that are to be given. */
    synchronized List<HeapPage> dropAll(ObjectKind kind) {
        Slots slots = slots(kind);
        List<HeapPage> emptied = new ArrayList<>();
        for (int slot = 0; slot < slots.page.length; slot++) {
            HeapPage page = dropLocked(slots, slot);
            if (page != null) {
                emptied.add(page);
            }
        }
        return emptied;
    }

    /** The full pages of small objects with at most so many live ones, the emptiest first. */
    synchronized List<HeapPage> sparsest(int liveMax) {
        List<HeapPage> sparsest = new ArrayList<>();
        for (int live = 1; live <= liveMax; live++) {
            for (int i = 0; i < pageCount; i++) {
                HeapPage page = pages[i];
                if (page.kind == ObjectKind.SMALL
                        && page.state == State.FULL
                        && page.live == live) {
                    sparsest.add(page);
                }
            }
        }
        return sparsest;
    }

    /** Keeps a page that is to be evacuated; false if its last object died meanwhile. */
    synchronized boolean keep(HeapPage page) {
        if (page.state != State.FULL) {
            return false;
        }
        page.state = State.EVACUATING;
        return true;
    }

    /** What is written into an object of a page that is kept; {@link #DEAD} if it is dead. */
    synchronized long liveId(HeapPage page, int index) {
        return page.slots[index] == HeapPage.NONE ? DEAD : page.ids[index];
    }

    /**
     * Lets a slot refer to the copy of its object.
     *
     * @return false if it refers to another object by now, and the copy is not needed
     */
    synchronized boolean move(HeapPage from, int index, HeapPage to, int toIndex) {
        int slot = from.slots[index];
        if (slot == HeapPage.NONE) {
            return false;
        }
        from.slots[index] = HeapPage.NONE;
        from.live--;
        Slots slots = slots(from.kind);
        slots.page[slot] = to;
        slots.index[slot] = toIndex;
        to.slots[toIndex] = slot;
        to.ids[toIndex] = from.ids[index];
        to.live++;
        return true;
    }

    /** How many live objects pages have together. */
    synchronized int live(List<HeapPage> some) {
        return some.stream().mapToInt(page -> page.live).sum();
    }

    /** A page is evacuated, and to be given. */
    synchronized void emptied(HeapPage page) {
        if (!goIfEmptyLocked(page)) {
            throw new AssertionError("an evacuated page is empty: live=" + page.live);
        }
    }

    /** What the pages of a kind take up. */
    synchronized long pageBytes(ObjectKind kind) {
        return slots(kind).pageBytes;
    }

    /** What live objects take up. */
    synchronized long liveBytes() {
        return small.live * ObjectKind.SMALL.objectBytes()
                + medium.live * ObjectKind.MEDIUM.objectBytes();
    }

    /** Checks the invariants. */
    synchronized void verify() {
        for (Slots slots : List.of(small, medium)) {
            int live = 0;
            for (int slot = 0; slot < slots.page.length; slot++) {
                HeapPage page = slots.page[slot];
                if (page != null) {
                    live++;
                    int index = slots.index[slot];
                    requireEqual("the slot of an object", page.slots[index], slot);
                    Stamp.check(slots.kind, page.address(index), page.ids[index]);
                }
            }
            requireEqual("live objects of " + slots.kind, slots.live, live);
        }
        for (int i = 0; i < pageCount; i++) {
            HeapPage page = pages[i];
            long live = Arrays.stream(page.slots).filter(slot -> slot != HeapPage.NONE).count();
            requireEqual("live objects of a page", page.live, live);
            requireEqual("the position of a page", page.position, i);
            if (page.state == State.GONE || (page.state == State.FULL && page.live == 0)) {
                throw new AssertionError("a page without objects is gone: " + page.state);
            }
        }
    }

    private static void requireEqual(String what, long counted, long found) {
        if (counted != found) {
            throw new AssertionError(what + " must agree: counted=" + counted + ", found=" + found);
        }
    }
}
