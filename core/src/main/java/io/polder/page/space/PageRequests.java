package io.polder.page.space;

import io.polder.event.Events;
import io.polder.event.PageAllocationEvent;
import io.polder.memory.Exhaustion;
import io.polder.memory.MachineMemory;
import io.polder.memory.MemoryExhaustedException;
import io.polder.memory.MemoryLimits;
import io.polder.page.space.PageReservation.Kind;

import org.jspecify.annotations.Nullable;

import java.util.function.Supplier;

/**
 * How requests for pages are met, at once or behind others in the queue, and pages extended and
 * given back.
 *
 * <p>A page with memory is found under the lock of the {@link PageState}; all else is for the
 * {@link PageAllocator}, and is timed. A thread that changes what is free wakes those who wait, and
 * the background.
 *
 * <p><b>Extending.</b> A page becomes longer where it is, by free granules behind it: no byte is
 * copied. Where it is placed says {@link PageState}.
 *
 * <pre>{@code
 *   before   [T  T][w][.][.][.]         a page, a warm granule and cold ones behind it
 *   run      [T  T][T][.][.][.]         an extent of its own, which is cleaned
 *   joined   [T  T  T][.][.][.]         one page; and so on with the next run
 * }</pre>
 *
 * <p><b>Errors.</b> The extent is made first, and says at each moment what it has. A thread that
 * cannot return it abandons it: the next thread that takes the lock reclaims it. So it is with what
 * was taken to extend a page and not joined; the page is as it was then, or longer.
 *
 * <p>Thread-safe.
 */
record PageRequests(PageSpace space, PageState state, WaitQueue queue) {

    /**
     * Takes a page of one of the sizes from {@code most} granules by halves to {@code least}.
     *
     * @param page what has them then
     */
    Extent take(int least, int most, boolean zero, Extent page) {
        try {
            return take(least, most, zero, page, null);
        } catch (InterruptedException never) {
            throw new AssertionError("only who has a deadline waits", never);
        }
    }

    /** Takes one, and waits for it as long as that: null if not at all. */
    Extent take(int least, int most, boolean zero, Extent page, @Nullable Deadline deadline)
            throws InterruptedException {
        PageAllocationEvent event = Events.pageAllocation();
        try {
            long slowFromNanos = 0;
            if (!takeAtHand(page, most, zero, deadline == null || queue.isEmpty())) {
                slowFromNanos = System.nanoTime();
                int count = withinMachine(least, most);
                checkLimits(Granules.bytes(least));
                if (deadline != null) {
                    takeOrWait(page, count, event, deadline);
                } else if (!page.growsFar || !space.allocator.takeFar(page, count)) {
                    space.allocator.take(page, least, count, event);
                }
            }
            if (space.cleaner.isDirty(page, zero)) {
                slowFromNanos = slowFromNanos == 0 ? System.nanoTime() : slowFromNanos;
                space.cleaner.clean(page, zero);
            }
            if (slowFromNanos != 0) {
                state.slowTakes.took(System.nanoTime() - slowFromNanos);
            }
            if (event != null) {
                event.finish(state.budget.poolName, page.bytes());
            }
            return page;
        } catch (Throwable failure) {
            if (page.state != Extent.State.GONE) {
                page.abandoned = true; // in place: a call may fail as well
                state.abandoned = true;
            }
            // What it was charged for came back, or does next. Who waits may have missed it, and a
            // pool that was closed meanwhile sleeps until it is told.
            roomCame();
            throw failure;
        }
    }

    /**
     * The fast path: counts a request, and takes a run that has memory, if there is one.
     *
     * @param may whether it may take one, or only counts
     */
    private boolean takeAtHand(Extent page, int count, boolean zero, boolean may) {
        boolean taken;
        synchronized (state) {
            state.recoverIfNeededLocked();
            state.checkOpenLocked();
            state.demand.asked(count, zero);
            boolean fits = !page.growsFar || state.growsWarmLocked(page, count);
            taken = may && fits && state.takeLocked(Kind.WARM, page, count);
        }
        if (space.defragmenting != null && (count > 1 || zero)) {
            space.defragmenting.wake();
        }
        return taken;
    }

    /**
     * The largest of the sizes from {@code most} by halves to {@code least} that the machine has.
     * What is beyond a limit is left to that: it says more.
     *
     * @throws MemoryExhaustedException if the machine has not even the least
     */
    private int withinMachine(int least, int most) {
        int count = most;
        while (Granules.bytes(least) <= state.budget.limits.committedMaxBytes()) {
            MachineMemory exceeded = state.provider.exceededBy(Granules.bytes(count));
            if (exceeded == null) {
                break;
            }
            if (count >> 1 < least) {
                throw MemoryExhaustedException.beyondMachine(exceeded, Granules.bytes(count));
            }
            count >>= 1;
        }
        return count;
    }

    /** Takes what was not at hand, and waits for it. */
    private void takeOrWait(
            Extent page, int count, @Nullable PageAllocationEvent event, Deadline deadline)
            throws InterruptedException {
        if (queue.isEmpty() && takeNow(page, count)) {
            return;
        }
        if (event != null) {
            event.waited();
        }
        Supplier<Extent> attempt = () -> attempt(page, count, event, deadline);
        queue.await(new WaitQueue.Request(Granules.bytes(count), attempt), deadline);
    }

    /** Nothing is given back for what can never be, and nobody waits for it. */
    private void checkLimits(long bytes) {
        MemoryLimits limits = state.budget.limits;
        if (bytes > limits.committedMaxBytes()) {
            throw state.budget.committed.exhausted(bytes);
        }
        if (bytes > limits.reservedMaxBytes()) {
            throw state.budget.reserved.exhausted(bytes);
        }
    }

    /** An attempt of a thread in the queue. Makes room as well: not all who free something tell. */
    private Extent attempt(
            Extent page, int count, @Nullable PageAllocationEvent event, Deadline deadline) {
        try {
            space.allocator.take(page, count, count, event);
        } catch (MemoryExhaustedException full) {
            if (!deadline.makeRoom().getAsBoolean()) {
                throw full;
            }
            space.allocator.take(page, count, count, event);
        }
        return page;
    }

    /** Takes what is contiguous already; returns false if nothing is, or the system refuses. */
    private boolean takeNow(Extent page, int count) {
        try {
            return space.allocator.tryTake(page, count, count);
        } catch (MemoryExhaustedException refused) {
            queue.wake();
            return false;
        }
    }

    /**
     * Extends a page, or does not: then it may be longer than before, and not as long as wanted.
     *
     * @param count how many granules it is to have
     * @return whether it has them
     */
    boolean extend(Extent page, int count) {
        boolean more = Granules.bytes(count) <= state.budget.limits.committedMaxBytes();
        while (more && page.count < count) {
            more = extendByRun(page, count);
        }
        return more;
    }

    private boolean extendByRun(Extent page, int count) {
        Extent more = new Extent(page.grows);
        boolean joined = false;
        try {
            if (!takeBehind(page, more, count)) {
                return false;
            }
            space.cleaner.clean(more, !page.grows);
            synchronized (state) {
                state.recoverIfNeededLocked();
                if (page.state == Extent.State.TAKEN) {
                    state.joinLocked(page, more);
                    joined = true;
                }
            }
            return joined;
        } finally {
            if (!joined && more.state != Extent.State.GONE) {
                more.abandoned = true;
                state.abandoned = true;
            }
        }
    }

    private boolean makeRoom(int granules) {
        return state.budget.committed.makeRoom(Granules.bytes(granules));
    }

    /** Takes a run behind a page, with memory; for that, what is free elsewhere is given back. */
    private boolean takeBehind(Extent page, Extent more, int count) {
        int cold;
        int left = Exhaustion.ATTEMPTS_MAX; // others may take it
        do {
            synchronized (state) {
                state.recoverIfNeededLocked();
                boolean ours = page.reservation().owner == state && !state.shut;
                boolean may = ours && page.state == Extent.State.TAKEN;
                cold = may ? state.takeBehindLocked(page, more, count - page.count) : -1;
            }
            left--;
            boolean fails = cold > 0 && (left < 0 || !makeRoom(cold));
            if (cold < 0 || fails) {
                return false;
            }
        } while (cold > 0);
        try {
            return more.warmTo > 0 || space.allocator.commit(more);
        } catch (MemoryExhaustedException refused) {
            return false; // it is put back
        }
    }

    /** See {@link PageSpace#give(Extent, long)}. */
    void give(Extent page, long dirtyBytes) {
        boolean owned = false;
        try {
            boolean cleans;
            synchronized (state) {
                state.recoverIfNeededLocked();
                if (dirtyBytes < 0 || dirtyBytes > page.bytes()) {
                    throw new IllegalArgumentException(
                            "0 <= dirtyBytes <= size: dirtyBytes=" + dirtyBytes + ", page=" + page);
                }
                owned = page.state == Extent.State.TAKEN;
                state.giveLocked(page, dirtyBytes);
                cleans = dirtyBytes > 0 && state.demand.zeroLately() > 0;
            }
            given(cleans);
        } catch (Throwable thrown) {
            if (!owned || page.state != Extent.State.GONE) {
                throw thrown;
            }
            // It is given: who waits looks for itself, and the next give tells the others.
        }
    }

    /**
     * Takes back a page that is abandoned, unless that was done already; if an error comes, the
     * next thread that looks does it.
     */
    void reclaim(Extent page) {
        try {
            boolean cleans;
            synchronized (state) {
                state.recoverIfNeededLocked();
                if (page.state == Extent.State.TAKEN) {
                    state.giveLocked(page, 0);
                }
                cleans = state.demand.zeroLately() > 0;
            }
            given(cleans);
        } catch (Throwable later) {
            state.abandoned = true;
        }
    }

    /** Wakes those who can use what was given, and tells who waits for the last of it. */
    private void given(boolean cleans) {
        if (space.defragmenting != null && cleans) {
            space.defragmenting.wake();
        }
        space.decaying.wake();
        roomCame();
    }

    private void roomCame() {
        queue.wake();
        if (state.shut) {
            space.exhaustion.memoryFreed();
        }
    }
}
