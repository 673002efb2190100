package io.polder.lab.experiments.pages;

import io.polder.lab.experiments.pages.Latencies.Group;
import io.polder.lab.experiments.pages.PageSource.Taken;
import io.polder.lab.harness.Control;

import org.jspecify.annotations.Nullable;

/**
 * Takes pages for one thread, and times it. Nothing but the take is timed: no waiting for the
 * collector, no writing, no lock of the heap.
 */
final class PageTaker {
    /** Refusals in a row after which a source is given up: as many milliseconds at least. */
    private static final int REFUSALS_MAX = 10_000;

    private static final long GRANULE = ObjectKind.SMALL.pageBytesMin();

    private final Contender contender;
    private final PageSource source;
    private final Room room;
    private final boolean collector;
    private final Latencies latencies = new Latencies();
    private final ThreadSwitches switches = new ThreadSwitches();

    /** Takes by size: 2 MiB, 4 MiB, and so on. Written by the owner, and read by anybody. */
    private final long[] takes = new long[TAKE_SIZES];

    /** Sizes of pages: 2 to 32 MiB. */
    static final int TAKE_SIZES = 5;

    private final Control control = new Control();
    private long refusals;

    /**
     * @param collector whether the owner is the collector
     */
    PageTaker(Contender contender, PageSource source, Room room, boolean collector) {
        this.contender = contender;
        this.source = source;
        this.room = room;
        this.collector = collector;
    }

    /** Takes a page, waiting for room if need be. */
    HeapPage take(ObjectKind kind) throws InterruptedException {
        long least = contender.pageBytesMin(kind);
        for (int i = 0; i < REFUSALS_MAX; i++) {
            long charged = charge(least, kind.pageBytesMax());
            Taken taken = timed(kind, least, charged);
            if (taken != null) {
                room.refund(charged - taken.bytes());
                takes[Long.numberOfTrailingZeros(taken.bytes() / GRANULE)]++;
                return new HeapPage(kind, taken);
            }
            room.refund(charged);
            refusals++;
            room.awaitChange();
        }
        throw new AssertionError("a page that there is room for is refused for ever: " + kind);
    }

    private long charge(long least, long most) throws InterruptedException {
        if (collector) {
            room.chargeCollector(most);
            return most;
        }
        return room.charge(least, most);
    }

    private @Nullable Taken timed(ObjectKind kind, long least, long most) {
        long before = switches.involuntary();
        long start = System.nanoTime();
        Taken taken = source.take(least, most);
        long nanos = System.nanoTime() - start;
        boolean undisturbed = switches.involuntary() == before;
        latencies.record(group(kind), nanos, undisturbed);
        latencies.recordControl(control.nanos());
        return taken;
    }

    private Group group(ObjectKind kind) {
        if (kind == ObjectKind.MEDIUM) {
            return Group.MUTATOR_MEDIUM;
        }
        return collector ? Group.COLLECTOR_SMALL : Group.MUTATOR_SMALL;
    }

    /** Gives a page back. */
    void give(HeapPage page) {
        source.give(page.taken, page.dirtyBytes());
        room.refund(page.taken.bytes());
    }

    /** How long takes took. For the owner, or after its end. */
    Latencies latencies() {
        return latencies;
    }

    /** How many pages of 2 MiB times two to the power of an index were taken so far. */
    long takes(int index) {
        return takes[index];
    }

    /** How many were refused so far. */
    long refusals() {
        return refusals;
    }
}
