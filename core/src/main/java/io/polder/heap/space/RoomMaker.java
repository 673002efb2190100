package io.polder.heap.space;

import io.polder.background.Background;
import io.polder.background.Task;
import io.polder.page.space.PageSpace;

import java.util.concurrent.TimeUnit;

/**
 * Has a full heap compacted for threads that allocate, which wait for it as long as it gets on.
 *
 * <pre>{@code
 *   thread:     request --> wait --after any round-------> room, or none
 *                  |          |
 *                  |          +--nothing gets on for a second, or less inside--> none
 *                  v
 *   polder-heap-room:   one compaction for all requests to a heap that came before it
 * }</pre>
 *
 * <p>Nobody waits longer than until there is room: the thread that compacts says when a round has
 * ended, and all who wait look.
 *
 * <p><b>Why another thread.</b> A compaction waits for readers, and who allocates may be what they
 * wait for: it runs in a function that reads an object of another heap, whose readers allocate
 * here; or it holds a lock of the program's that a reader wants. Neither can be known. So nobody
 * who allocates waits for readers but in here, where the wait ends: the thread is refused, goes on,
 * and lets the others go on. The thread that compacts is inside no heap and holds no lock of the
 * program's, so it may wait as long as readers take.
 *
 * <p>Of those who wait, some may be what the compaction waits for: two that allocate in functions
 * of two full heaps wait for each other. So who is inside of any heap gives up first, and those
 * outside get what comes free then, instead of being refused all at once.
 *
 * <p>One such thread serves all heaps. A heap whose readers hold it up holds up no other, nor does
 * one whose compaction is long: both say so, and others get another thread.
 *
 * <p><b>What gets on</b> is a compaction that copies, ends a cycle, or gives something back. A
 * single reader that stays inside stops all three.
 *
 * <p>Failure. Where no thread can be started, who waits compacts itself, unless it runs in a
 * function that reads or updates an object of any heap. A compaction that throws has made no room.
 * A thread that fails leaves a request, which harms nobody.
 *
 * <p>Thread-safe: its monitor guards all fields, and nothing is called under it.
 */
final class RoomMaker {
    /** Between two looks whether the compaction gets on. */
    private static final long LOOK_NANOS = 50_000_000;

    /** In vain, in a row. Looks are counted, since the whole process may stand still for long. */
    private static final int STUCK_LOOKS = 20;

    /** The same inside of another heap: so few that it is refused before those outside are. */
    private static final int STUCK_LOOKS_INSIDE = 5;

    /**
     * What an object has no room for.
     *
     * @param pageBytes of the page that was refused, with what others need then
     * @param runBytes of these, how many must lie side by side
     * @param restBytes how much room in a region helps; {@code Long.MAX_VALUE} if only a page does
     */
    record Wanted(long pageBytes, long runBytes, long restBytes) {
        static final Wanted NOTHING = new Wanted(0, 0, 0);

        /** A page. */
        static Wanted page(long pageBytes, long runBytes) {
            return new Wanted(pageBytes, runBytes, Long.MAX_VALUE);
        }

        /** Room for either. */
        Wanted max(Wanted other) {
            return new Wanted(
                    Math.max(pageBytes, other.pageBytes),
                    Math.max(runBytes, other.runBytes),
                    Math.max(restBytes, other.restBytes));
        }
    }

    private final Compactor compactor;

    /** Compacts. */
    final Task task;

    /** How many have asked; for how many of them a compaction has begun, and for how many ended. */
    long requested;

    long begun;
    long served;

    /** What was asked for by those who were not served. */
    private Wanted most = Wanted.NOTHING;

    /** Whether the compaction that ended last has given something back. */
    private boolean gaveBack;

    /** How much was wasted, and to copy to, when a compaction made no room; hints. */
    private volatile long inVainWasted;

    private volatile long inVainRoom;

    /**
     * Nobody has asked yet.
     *
     * @param compactor makes room
     * @param background the thread in which all heaps have room made
     */
    RoomMaker(Compactor compactor, Background background) {
        this.compactor = compactor;
        this.task = background.task(this::compact, 1);
    }

    /**
     * Has room made, and waits for it: an interrupt does not end the wait, and is passed on.
     *
     * @return whether there may be room now
     */
    boolean make(Wanted wanted) {
        return await(ask(wanted), wanted);
    }

    /** Some memory was given back, or there are more rounds: who waits may have room. */
    void roundEnded() {
        synchronized (this) {
            notifyAll();
        }
        task.heldUp(); // this takes long: so other heaps get another thread
    }

    /**
     * Has room made for others of the pool. Where a compaction was in vain it is not tried again
     * before more is wasted, or there is more to copy to.
     *
     * @param waits whether to wait for it
     * @return whether there may be room now
     */
    boolean makeForOthers(long bytes, boolean waits) {
        long wasted = compactor.wastedBytes();
        long room = compactor.toSpace.room().pageBytes();
        long more = Math.max(wasted - inVainWasted, room - inVainRoom);
        if (Math.min(wasted, more) < PageSpace.GRANULE_BYTES) {
            inVainWasted = Math.min(inVainWasted, wasted);
            inVainRoom = Math.min(inVainRoom, room);
            return false;
        }
        // A table of theirs may need a page as well.
        Wanted wanted = Wanted.page(bytes + PageSpace.GRANULE_BYTES, bytes);
        long request = ask(wanted);
        return waits && await(request, wanted);
    }

    /** Has room made, and does not wait for it; returns the number of the request. */
    private long ask(Wanted wanted) {
        long mine;
        synchronized (this) {
            requested++;
            most = most.max(wanted);
            mine = requested;
        }
        task.wake();
        return mine;
    }

    /** Whether a thread compacts for those who wait for room: others let it go first. */
    synchronized boolean isCompacting() {
        return begun > served;
    }

    private boolean compact() {
        long upTo;
        Wanted wanted;
        synchronized (this) {
            if (begun == requested) {
                return false; // done by another thread
            }
            upTo = requested;
            wanted = most;
            most = Wanted.NOTHING;
            begun = upTo;
        }
        boolean made = false;
        try {
            made = compactor.makeRoom(wanted);
            inVainWasted = made ? 0 : compactor.wastedBytes();
            inVainRoom = made ? 0 : compactor.toSpace.room().pageBytes();
        } finally {
            synchronized (this) {
                served = Math.max(served, upTo);
                gaveBack = made;
                notifyAll();
            }
        }
        return false; // who asked meanwhile has waked the task
    }

    private boolean await(long request, Wanted wanted) {
        boolean interrupted = false;
        try {
            long done = progress();
            int looks = 0;
            long lookedNanos = System.nanoTime();
            while (true) {
                synchronized (this) {
                    if (served >= request) {
                        return gaveBack;
                    }
                    try {
                        TimeUnit.NANOSECONDS.timedWait(this, LOOK_NANOS);
                    } catch (InterruptedException _) {
                        interrupted = true;
                    }
                }
                if (compactor.hasRoom(wanted)) {
                    return true;
                }
                task.wake(); // again: it may be that no thread could be started
                if (System.nanoTime() - lookedNanos >= LOOK_NANOS) {
                    lookedNanos = System.nanoTime();
                    looks++;
                }
                long now = progress();
                if (now != done) {
                    done = now;
                    looks = 0;
                } else if (looks >= STUCK_LOOKS_INSIDE && looks >= stuckLooks()) {
                    return compactIfNobodyElseCan();
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static int stuckLooks() {
        return InsideAnyHeap.isRunningThread() ? STUCK_LOOKS_INSIDE : STUCK_LOOKS;
    }

    /**
     * How long the running thread waits where nothing gets on: much longer than the turns of a busy
     * machine, and a pause for a user.
     */
    static long stuckNanos() {
        return stuckLooks() * LOOK_NANOS;
    }

    /** In this thread, where no other could be started and readers do not wait for this one. */
    private boolean compactIfNobodyElseCan() {
        if (isCompacting() || InsideAnyHeap.isRunningThread()) {
            return false;
        }
        boolean _ = compact(); // unless one of the others who wait does
        synchronized (this) {
            return gaveBack;
        }
    }

    /** Another number whenever the compaction has got on. */
    private long progress() {
        return compactor.counts.copiedBytes.sum()
                + compactor.counts.cycles.get()
                + compactor.counts.givenBackBytes.get()
                + compactor.table.leaves.moved();
    }
}
