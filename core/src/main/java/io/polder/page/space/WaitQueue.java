package io.polder.page.space;

import io.polder.memory.MemoryBudget;
import io.polder.memory.MemoryExhaustedException;

import org.jspecify.annotations.Nullable;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * Threads that wait for memory, first come first served, but that nobody waits long behind others
 * who all want more.
 *
 * <pre>{@code
 *   head                    tail
 *   [ tries, parks ] [ parks ] [ parks ]      the head tries, and who is held up
 *         ^
 *         +--- unpark --- give, uncommit, anything that makes room
 * }</pre>
 *
 * <p><b>Who needs much and who needs little.</b> What comes free is offered to the head, so one
 * that needs much has its chance whenever memory comes. Those behind it who need little could be
 * served all the while. So a thread that has waited for a quarter of a second, or has no time left,
 * and needs less than everybody before it, tries out of its turn, four times a second. Who needs as
 * much as another one is never served before it. One that needs much may so be passed by many, and
 * run out of time.
 *
 * <p>What never can be had is not waited for.
 *
 * <p><b>No wake-up is lost.</b> A thread joins the queue before it tries, and a thread that makes
 * room looks at the queue after it has made it. Both are volatile, or under the lock of {@link
 * PageState}: so the thread finds the room, or it is found, and does not park before it has tried
 * again. That it was woken is noted and not left to the permit of its thread, which an attempt that
 * parks for reasons of its own may use up. One that leaves wakes the next, who may have been passed
 * over.
 *
 * <p><b>Errors.</b> A thread that leaves, whatever ended its waiting, first stores in place that it
 * is gone; should it not get further, others pass over it and remove it. A wake-up may get lost
 * with an error in who should have given it, so nobody parks for longer than a moment at a time.
 *
 * <p>Thread-safe, without a lock.
 */
final class WaitQueue {
    /** After so long a thread looks for itself: guessed, nothing to a processor. */
    private static final long LOOK_NANOS = 250_000_000;

    /**
     * A page that a thread waits for.
     *
     * @param bytes how much it needs; who needs less than all before it may pass them after a while
     * @param attempt tries to get it; with no lock held, and when it is the thread's turn. Throws
     *     {@link MemoryExhaustedException} as long as there is not enough; where there {@linkplain
     *     MemoryExhaustedException#never never} will be, or it throws something else, that ends the
     *     waiting
     */
    record Request(long bytes, Supplier<Extent> attempt) {}

    /** A thread in the queue; made when it joins that, after it has made room. */
    private static final class Waiter {
        final Thread thread = Thread.currentThread();
        final long sinceNanos = System.nanoTime();
        final long bytes;

        /** Whether room came since the last attempt began. */
        volatile boolean woken;

        /** Whether it waits no longer. */
        volatile boolean gone;

        Waiter(long bytes) {
            this.bytes = bytes;
        }

        void wake() {
            woken = true;
            LockSupport.unpark(thread);
        }
    }

    private final Queue<Waiter> queue = new ConcurrentLinkedQueue<>();

    /**
     * How many are about to wait, or do. An error may leave it too high: then more is closed by who
     * could leave it to the background.
     */
    private final AtomicInteger coming = new AtomicInteger();

    /** Says why a thread got nothing. */
    private final MemoryBudget budget;

    private final long lookNanos;

    WaitQueue(MemoryBudget budget) {
        this(budget, LOOK_NANOS);
    }

    /** One in which a thread looks for itself after so long. */
    WaitQueue(MemoryBudget budget, long lookNanos) {
        this.budget = budget;
        this.lookNanos = lookNanos;
    }

    /** Whether nobody waits. */
    boolean isEmpty() {
        return first() == null;
    }

    /**
     * Whether anybody waits, or makes room now before it does. What is made ready to be closed
     * after that is not found by a thread that waits: so the thread that makes it ready closes it.
     */
    boolean isWaitedFor() {
        return coming.get() > 0;
    }

    int size() {
        int size = 0;
        for (Waiter waiter : queue) {
            size += waiter.gone ? 0 : 1;
        }
        return size;
    }

    /** The first in the queue; removes those before it who are gone. */
    private @Nullable Waiter first() {
        Waiter first = queue.peek();
        while (first != null && first.gone) {
            boolean _ = queue.remove(first);
            first = queue.peek();
        }
        return first;
    }

    /**
     * Whether a waiter is the first, or its thread is: what that runs while it tries, as cleanup
     * actions, may wait as well, and would do so for itself.
     */
    private boolean isTurnOf(Waiter waiter) {
        Waiter first = first();
        return first != null && first.thread == waiter.thread;
    }

    /** Whether a waiter was held up for long enough by those who all need more. */
    private boolean isHeldUp(Waiter waiter, long leftNanos, Deadline deadline) {
        boolean last = leftNanos <= 0 && deadline.timeoutNanos() > 0;
        if (!last && System.nanoTime() - waiter.sinceNanos < lookNanos) {
            return false;
        }
        for (Waiter before : queue) {
            if (before == waiter) {
                return true;
            }
            if (!before.gone && before.bytes <= waiter.bytes) {
                return false;
            }
        }
        return false;
    }

    /** How much the running thread waits for; 0 if it is not in the queue. */
    long bytesOfRunningThread() {
        Thread running = Thread.currentThread();
        long bytes = 0;
        for (Waiter waiter : queue) {
            if (waiter.thread == running && !waiter.gone) {
                bytes = waiter.bytes; // the last: what it waits for now
            }
        }
        return bytes;
    }

    /**
     * Lets the first in the queue try again, unless that is who calls: what an attempt gives back
     * that fails is no room for it. To be called after room was made.
     */
    void wake() {
        Waiter first = first();
        if (first != null && first.thread != Thread.currentThread()) {
            first.wake();
        }
    }

    /**
     * Makes room, and waits in the queue until a request is met.
     *
     * @param request what it waits for; not tried before its turn, unless others hold it up
     * @param deadline how long at most; where none is left, it tries once, if nobody is before it
     * @throws MemoryExhaustedException if the time is over, or it can never be
     * @throws InterruptedException if the thread is interrupted
     */
    Extent await(Request request, Deadline deadline) throws InterruptedException {
        int _ = coming.incrementAndGet();
        try {
            boolean _ = deadline.makeRoom().getAsBoolean();
            return awaitTurn(new Waiter(request.bytes()), request, deadline);
        } finally {
            int _ = coming.decrementAndGet();
            wake();
        }
    }

    private Extent awaitTurn(Waiter me, Request request, Deadline deadline)
            throws InterruptedException {
        try {
            queue.add(me);
            while (true) {
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
                me.woken = false;
                long left = deadline.leftNanos();
                MemoryExhaustedException notYet = null;
                if (isTurnOf(me) || isHeldUp(me, left, deadline)) {
                    try {
                        return request.attempt().get();
                    } catch (MemoryExhaustedException e) {
                        if (e.never()) {
                            throw e;
                        }
                        notYet = e;
                    }
                }
                if (left <= 0) {
                    if (notYet == null) {
                        MemoryBudget.Account scarcer = budget.scarcer();
                        long room = scarcer.roomBytes(); // that is left to others
                        notYet = scarcer.exhausted(room, room, me.bytes);
                    }
                    throw notYet.afterWaiting(deadline.timeoutNanos());
                }
                if (!me.woken) {
                    LockSupport.parkNanos(this, Math.min(left, lookNanos));
                }
            }
        } finally {
            me.gone = true;
            boolean _ = queue.remove(me); // who is before it may wait for hours
        }
    }

    /** Ends the parking of all, so that they see that the space is shut. */
    void wakeAll() {
        queue.forEach(Waiter::wake);
    }
}
