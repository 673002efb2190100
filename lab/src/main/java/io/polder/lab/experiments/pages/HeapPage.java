package io.polder.lab.experiments.pages;

import io.polder.lab.experiments.pages.PageSource.Taken;

import java.util.Arrays;

/**
 * A page with the objects in it.
 *
 * <pre>{@code
 *           retire                 evacuate            emptied
 * FILLING ----------> FULL ------------------> EVACUATING -----> GONE
 *    one thread         \----- last object dies ----------------->
 *    bumps
 * }</pre>
 *
 * <p>Invariant: {@code live} is the number of {@code slots} that are not {@link #NONE}.
 *
 * <p>Everything but the bump index is guarded by the heap; that one belongs to the thread that
 * fills the page.
 */
final class HeapPage {
    /** Instead of a slot: no object, or a dead one. */
    static final int NONE = -1;

    /** What becomes of a page. */
    enum State {
        /** A thread puts objects into it. */
        FILLING,
        /** It goes when its last object dies, or is chosen to be evacuated. */
        FULL,
        /** Its objects are copied; it is kept even if none is left. */
        EVACUATING,
        /** It is given back, or about to be. */
        GONE
    }

    final ObjectKind kind;
    final Taken taken;

    /** The slot that refers to each object. */
    final int[] slots;

    /** What is written into each object. */
    final long[] ids;

    State state = State.FILLING;
    int live;

    /** Where the heap lists it. */
    int position;

    private int bumped;

    /** An empty page. */
    HeapPage(ObjectKind kind, Taken taken) {
        this.kind = kind;
        this.taken = taken;
        this.slots = new int[kind.objectsIn(taken.bytes())];
        this.ids = new long[slots.length];
        Arrays.fill(slots, NONE);
    }

    boolean hasRoom() {
        return bumped < slots.length;
    }

    /** The index of the next object. */
    int bump() {
        return bumped++;
    }

    /** The last object was not needed. */
    void undoBump() {
        bumped--;
    }

    /** Where an object is. */
    long address(int index) {
        return taken.address() + index * kind.strideBytes();
    }

    /** How much of it, from its front, was written. */
    long dirtyBytes() {
        return bumped == 0 ? 0 : (bumped - 1) * kind.strideBytes() + kind.objectBytes();
    }
}
