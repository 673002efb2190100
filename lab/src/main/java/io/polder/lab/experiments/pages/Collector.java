package io.polder.lab.experiments.pages;

import java.util.List;

/**
 * The collector: a thread that empties the sparsest pages of small objects whenever memory gets
 * low, as ZGC does while the program goes on.
 *
 * <pre>{@code
 * page      | a | . | . | b | . |       copy, then the slot refers to the copy
 *             |           |             |
 * to-page   ..| a' | b' | .........     the page is given as soon as it is empty
 * }</pre>
 *
 * <p>Chosen are pages of which at least a quarter is garbage, ZGC's limit; while the mutator cannot
 * go on, all with any. To-pages come from the same source, which is told how many they will be.
 *
 * <p>An object may die while it is copied. Its memory stays, since the page is kept; the copy is
 * not needed then.
 */
final class Collector implements Runnable {
    /** As {@code ZFragmentationLimit}. */
    private static final double GARBAGE_MIN = 0.25;

    private static final int OBJECTS = ObjectKind.SMALL.objectsIn(ObjectKind.SMALL.pageBytesMax());

    private final ObjectHeap heap;
    private final Room room;
    private final PageSource source;
    private final PageTaker taker;

    private HeapPage target;
    private long cycles;
    private long moved;

    /** A collector, to be run by a thread of its own. */
    Collector(ObjectHeap heap, Room room, PageSource source, PageTaker taker)
            throws InterruptedException {
        this.heap = heap;
        this.room = room;
        this.source = source;
        this.taker = taker;
        this.target = newTarget();
    }

    private HeapPage newTarget() throws InterruptedException {
        HeapPage page = taker.take(ObjectKind.SMALL);
        heap.add(page);
        return page;
    }

    @Override
    public void run() {
        try {
            while (room.awaitCall()) {
                collect(room.isShort() ? OBJECTS - 1 : (int) (OBJECTS * (1 - GARBAGE_MIN)));
            }
            if (heap.retire(target)) {
                taker.give(target);
            }
        } catch (InterruptedException | RuntimeException | Error thrown) {
            room.fail(thrown);
        }
    }

    private void collect(int liveMax) throws InterruptedException {
        List<HeapPage> chosen = heap.sparsest(liveMax);
        if (chosen.isEmpty()) {
            return;
        }
        cycles++;
        int objects = heap.live(chosen);
        source.expect(ObjectKind.SMALL.pageBytesMax(), Math.ceilDiv(objects, OBJECTS));
        for (HeapPage page : chosen) {
            if (heap.keep(page)) {
                evacuate(page);
                heap.emptied(page);
                taker.give(page);
            }
        }
    }

    private void evacuate(HeapPage page) throws InterruptedException {
        for (int index = 0; index < page.slots.length; index++) {
            long id = heap.liveId(page, index);
            if (id != ObjectHeap.DEAD) {
                move(page, index, id);
            }
        }
    }

    private void move(HeapPage page, int index, long id) throws InterruptedException {
        if (!target.hasRoom()) {
            if (heap.retire(target)) {
                taker.give(target);
            }
            target = newTarget();
        }
        int copy = target.bump();
        Stamp.copy(page.kind, page.address(index), target.address(copy), id);
        if (heap.move(page, index, target, copy)) {
            moved++;
        } else {
            target.undoBump();
        }
    }

    /** How often it went through the heap; after its end. */
    long cycles() {
        return cycles;
    }

    /** How many objects it moved; after its end. */
    long moved() {
        return moved;
    }
}
