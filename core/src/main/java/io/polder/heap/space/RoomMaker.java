package io.polder.heap.space;

import io.polder.background.Background;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Has a full heap compacted for threads that allocate, which wait for it as long as it gets on.
 *
 * <pre>{@code
 *   thread:     request --> wait ------------------------> room, or none
 *                  |          |
 *                  |          +--nothing gets on for a second--> none
 *                  v
 *   polder-heap-room:   one compaction for all requests that came before it
 * }</pre>
 *
 * <p><b>Why another thread.</b> A compaction waits for readers, and who allocates may be what they
 * wait for: it runs in a function that reads an object of another heap, whose readers allocate
 * here; or it holds a lock of the program's that a reader wants. Neither can be known. So nobody
 * who allocates waits for readers but in here, where the wait ends: the thread is refused, goes on,
 * and lets the others go on. The thread that compacts is inside no heap and holds no lock of the
 * program's, so it may wait as long as readers take.
 *
 * <p><b>What gets on</b> is a compaction that copies, ends a cycle, or gives something back. A
 * single reader that stays inside stops all three.
 *
 * <p>Failure. Where no thread can be started, who waits compacts itself, unless it runs in a
 * function that reads or updates an object of any heap. A compaction that throws has made no room.
 * Whoever is cut off leaves a request, which harms nobody.
 *
 * <p>Thread-safe: its monitor guards all fields, and nothing is called under it.
 */
final class RoomMaker {
    /** Without getting on: much longer than the turns of a busy machine, and a pause for a user. */
    static final long STUCK_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Between two looks whether the compaction gets on. */
    private static final long LOOK_MILLIS = 50;

    private final BooleanSupplier compaction;
    private final EvacuationCounts counts;
    private final Background background = new Background("polder-heap-room");

    /** How many have asked; how many of them the compaction that has ended was for. */
    private long requested;

    private long served;

    /** Whether somebody is about to compact, and whether somebody does. */
    private boolean scheduled;

    private boolean running;

    /** Whether the compaction that ended last has given something back. */
    private boolean gaveBack;

    /**
     * Nobody has asked yet.
     *
     * @param compaction makes room; returns whether any was made
     * @param counts what compaction has done
     */
    RoomMaker(BooleanSupplier compaction, EvacuationCounts counts) {
        this.compaction = compaction;
        this.counts = counts;
    }

    /**
     * Has room made, and waits for it: an interrupt does not end the wait, and is passed on.
     *
     * @return whether there may be room now
     */
    boolean make() {
        long mine;
        boolean schedules;
        synchronized (this) {
            requested++;
            mine = requested;
            schedules = !scheduled;
            scheduled = true;
        }
        if (schedules) {
            boolean started = false;
            try {
                background.execute(this::compact);
                started = true;
            } finally {
                if (!started) {
                    scheduled = false; // in place; a job more does no harm
                }
            }
        }
        return await(mine);
    }

    private void compact() {
        long upTo;
        synchronized (this) {
            upTo = requested;
            scheduled = false;
            running = true;
        }
        boolean made = false;
        try {
            made = compaction.getAsBoolean();
        } finally {
            synchronized (this) {
                served = Math.max(served, upTo);
                gaveBack = made;
                running = false;
                notifyAll();
            }
        }
    }

    private boolean await(long request) {
        boolean interrupted = false;
        try {
            long done = progress();
            long since = System.nanoTime();
            while (true) {
                synchronized (this) {
                    if (served >= request) {
                        return gaveBack;
                    }
                    try {
                        wait(LOOK_MILLIS);
                    } catch (InterruptedException _) {
                        interrupted = true;
                    }
                }
                long now = progress();
                if (now != done) {
                    done = now;
                    since = System.nanoTime();
                } else if (System.nanoTime() - since > STUCK_NANOS) {
                    return compactIfNobodyElseCan();
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** In this thread, where no other could be started and readers do not wait for this one. */
    private boolean compactIfNobodyElseCan() {
        synchronized (this) {
            if (running || !scheduled) {
                return false;
            }
            scheduled = false; // so that the next request tries to have a thread started
        }
        return !InsideAnyHeap.isRunningThread() && compaction.getAsBoolean();
    }

    /** Another number whenever the compaction has got on. */
    private long progress() {
        return counts.copiedBytes.sum()
                + counts.cycles.get()
                + counts.givenBackBytes.get()
                + counts.tableRebuilds.get();
    }
}
