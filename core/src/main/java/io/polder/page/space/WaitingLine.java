package io.polder.page.space;

import io.polder.memory.MemoryExhaustedException;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * Threads that wait for memory, first come first served.
 *
 * <pre>{@code
 *   head                    tail
 *   [ tries, parks ] [ parks ] [ parks ]      only the head tries
 *         ^
 *         +--- unpark --- give, uncommit, anything that makes room
 * }</pre>
 *
 * <p>A head that needs much holds up those behind it who need little; otherwise it might wait for
 * ever.
 *
 * <p><b>No wake-up is lost.</b> A thread joins the line before it tries, and whoever makes room
 * looks at the line after it has made it. Both are volatile, or under the lock of {@link
 * PageState}: so the thread finds the room, or it is found, and does not park before it has tried
 * again. That it was woken is noted and not left to the permit of its thread, which an attempt that
 * parks for reasons of its own may use up. One that leaves wakes the next, who may have been passed
 * over.
 *
 * <p>Thread-safe, without a lock.
 */
final class WaitingLine {
    /** What a thread waits for. */
    interface Request {
        /**
         * Tries to get it.
         *
         * @throws MemoryExhaustedException as long as there is not enough; whatever else it throws
         *     ends the waiting
         */
        Extent attempt();

        /** Why there is not enough now. */
        MemoryExhaustedException refusal();
    }

    /** A thread in line. */
    private static final class Waiter {
        final Thread thread = Thread.currentThread();

        /** Whether room came since the last attempt began. */
        volatile boolean woken;

        void wake() {
            woken = true;
            LockSupport.unpark(thread);
        }
    }

    private final Queue<Waiter> line = new ConcurrentLinkedQueue<>();

    /** Whether nobody waits. */
    boolean isEmpty() {
        return line.isEmpty();
    }

    int size() {
        return line.size();
    }

    /** Has the first in line try again. To be called after room was made. */
    void wake() {
        Waiter first = line.peek();
        if (first != null) {
            first.wake();
        }
    }

    /**
     * Waits in line until a request is met.
     *
     * @param timeoutNanos how long at most, zero or more
     * @throws MemoryExhaustedException if the time is over
     * @throws InterruptedException if the thread is interrupted
     */
    Extent await(Request request, long timeoutNanos) throws InterruptedException {
        long began = System.nanoTime();
        Waiter me = new Waiter();
        line.add(me);
        try {
            while (true) {
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
                me.woken = false;
                long left = timeoutNanos - (System.nanoTime() - began);
                MemoryExhaustedException notYet = null;
                if (line.peek() == me) {
                    try {
                        return request.attempt();
                    } catch (MemoryExhaustedException e) {
                        notYet = e;
                    }
                }
                if (left <= 0) {
                    MemoryExhaustedException why = notYet != null ? notYet : request.refusal();
                    throw why.afterWaiting(timeoutNanos);
                }
                if (!me.woken) {
                    LockSupport.parkNanos(this, left);
                }
            }
        } finally {
            line.remove(me);
            wake();
        }
    }

    /** Ends the parking of all, so that they see that the space is shut. */
    void wakeAll() {
        line.forEach(Waiter::wake);
    }
}
