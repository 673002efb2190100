package io.polder.background;

import org.jspecify.annotations.Nullable;

/**
 * Work that is done in steps, a period apart, as long as there is some; made by {@link
 * Background#task}.
 *
 * <p>It does nothing until it is woken. A period later its step runs, and again after another
 * period, until it says that nothing is left. Then the next {@link #wake} begins anew.
 *
 * <pre>{@code
 *             schedule            begin                 wake
 *   IDLE ------------> SCHEDULED ------> RUNNING ---------------> WOKEN
 *    ^                     ^                | |                     |
 *    |      end, no more   |   end, more    | |                     |
 *    +---------------------|----------------|-+                     |
 *                          +----------------+-----------------------+
 *   any --cancel--> CANCELLED                          end
 *   SCHEDULED --hasten--> IDLE, and in the same critical section SCHEDULED again
 * }</pre>
 *
 * <p>The claim: a step begins after each wake-up, and sees all that its caller did before, unless
 * the task is cancelled. A wake-up that finds SCHEDULED does nothing, for the step has not begun;
 * one that finds IDLE has the task put into the queue, and SCHEDULED is written when it is there
 * and has a thread; one that comes after the beginning of a step leaves its mark, which the end
 * finds. The step may have looked too early then, or not: it runs once more.
 *
 * <p>Ordering. The waker writes what there is to do, and then reads the state; the step writes the
 * state, when it begins, and then reads what there is to do. At least one of them must see the
 * other's write. It does so if all four are volatile. It does as well if the waker writes and the
 * step reads under one lock: if the step had it first, its write of the state came before the
 * waker's read.
 *
 * <p>Failure. Each change of the state is one store. A wake-up that is cut short leaves IDLE, or
 * the mark: so the next one does what this one did not.
 *
 * <p>Thread-safe: the monitor of the {@link Background} guards it, and {@link #wake} looks at the
 * state first without it.
 */
public final class Task {
    private static final int IDLE = 0;
    private static final int SCHEDULED = 1;
    private static final int RUNNING = 2;
    private static final int WOKEN = 3;
    private static final int CANCELLED = 4;

    private final Background background;
    final Step step;

    // Guarded by the monitor of the background.
    private volatile int state = IDLE;
    long periodNanos;
    long dueNanos;
    int failuresInARow;

    /** Which thread runs the step. */
    @Nullable Thread runner;

    Task(Background background, Step step, long periodNanos) {
        this.background = background;
        this.step = step;
        this.periodNanos = periodNanos;
    }

    /**
     * Says that there is something to do, which a step will find that has not begun yet.
     *
     * <p>To be called after that was written: under a lock that the step takes before it looks, or
     * to a volatile field that the step reads. Costs one read while the task waits for its period;
     * allocates a thread at most, if there is none, and room in a list; logs nothing. The caller
     * may hold any lock. Does nothing once the task is cancelled.
     *
     * <p>If this is cut short by an {@link Error}, the task may be asleep still. The next call
     * wakes it.
     */
    public void wake() {
        if (isToBeWoken()) {
            background.enqueue(this);
        }
    }

    /** Whether {@link #wake} would do something: else its step has not begun yet, or never will. */
    public boolean isToBeWoken() {
        int now = state;
        return now == IDLE || now == RUNNING;
    }

    /**
     * Makes its period shorter, that which is on as well: it lasts so long from now on, at most. If
     * this is cut short by an {@link Error}, the task may be asleep.
     *
     * @param periodNanos more than 0; without effect if the period is as short
     */
    public void hasten(long periodNanos) {
        synchronized (background.monitor) {
            if (this.periodNanos <= periodNanos) {
                return;
            }
            boolean waits = background.queue.contains(this);
            if (waits) {
                state = IDLE; // first: if this is cut short, the next wake-up adds it
                background.queue.remove(this);
            }
            this.periodNanos = periodNanos;
            if (waits) {
                background.enqueue(this);
            }
        }
    }

    /**
     * Ends the task for good. When this returns, its step is not running and will not run, unless
     * the step itself is the caller: then this is the last time.
     *
     * <p>Waits for a step that is running. So the caller must hold no lock that the step takes. An
     * interrupt does not end the wait, and is still there afterwards. If this is cut short by an
     * {@link Error}, it may be called again.
     */
    public void cancel() {
        background.cancel(this);
    }

    /**
     * Says that the step, if it is running, waits for what may take long, so that tasks that are
     * due get another thread before long. To be called again and again while it waits, by any
     * thread, which may hold any lock that the background thread is not waited for with.
     */
    public void heldUp() {
        background.heldUp(this);
    }

    /** Whether it is asleep: its step neither runs nor will without a {@link #wake}. */
    public boolean isAsleep() {
        return state == IDLE;
    }

    /** Leaves the mark, or returns that the caller must put the task into the queue. */
    boolean wakeLocked() {
        if (state == RUNNING) {
            state = WOKEN;
        }
        return state == IDLE;
    }

    /** The task is in the queue, and there is a thread that looks at it. */
    void scheduleLocked() {
        if (state == IDLE) {
            state = SCHEDULED;
        }
    }

    /** The step is about to run. */
    void beginLocked() {
        if (state != CANCELLED) {
            state = RUNNING;
        }
    }

    /**
     * The step has run, or was cut short.
     *
     * @param more whether it wants to run again
     * @return whether the task must be in the queue
     */
    boolean endLocked(boolean more) {
        if (state != CANCELLED) {
            state = state == RUNNING && !more ? IDLE : SCHEDULED;
        }
        return isScheduledLocked();
    }

    void cancelLocked() {
        state = CANCELLED;
    }

    /** Whether a thread is to run the step. */
    boolean isScheduledLocked() {
        return state == SCHEDULED;
    }
}
