package io.polder.background;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Whether a task is to run, and that no wake-up is lost.
 *
 * <pre>{@code
 *             schedule            begin                 wake
 *   IDLE ------------> SCHEDULED ------> RUNNING ---------------> WOKEN
 *    ^                     ^                | |                     |
 *    |      end, no more   |   end, more    | |                     |
 *    +---------------------|----------------|-+                     |
 *                          +----------------+-----------------------+
 *   any --cancel--> CANCELLED                          end
 * }</pre>
 *
 * <p>The claim: a step begins after each wake-up, and sees all that its caller did before, unless
 * the task is cancelled. A wake-up that finds SCHEDULED does nothing, for the step has not begun;
 * one that finds IDLE has the task put into the queue, and SCHEDULED is written when it is there
 * and has a thread; one that comes after {@link #begin} leaves its mark, which {@link #end} finds.
 * The step may have looked too early then, or not: it runs once more.
 *
 * <p>Ordering. The waker writes what there is to do, and then reads the state; the step writes the
 * state, in {@link #begin}, and then reads what there is to do. At least one of them must see the
 * other's write. It does so if all four are volatile. It does as well if the waker writes and the
 * step reads under one lock: if the step had it first, its write of the state came before the
 * waker's read.
 *
 * <p>Failure. Each method has one store that counts. A wake-up that is cut off leaves IDLE, or the
 * mark: so the next one does what this one did not.
 *
 * <p>{@link #wake} is called by any thread, with or without a lock. All else is called with the
 * monitor of the {@link Background} held, which guards whether the task is in its queue.
 */
final class TaskState {
    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(TaskState.class, "state", int.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    private static final int IDLE = 0;
    private static final int SCHEDULED = 1;
    private static final int RUNNING = 2;
    private static final int WOKEN = 3;
    private static final int CANCELLED = 4;

    private volatile int state = IDLE;

    /**
     * Says that there is something to do. Takes effect at its read of the state, or at its
     * compare-and-set.
     *
     * @return whether the caller must see to it that the task gets into the queue
     */
    boolean wake() {
        while (true) {
            int now = state;
            if (now == IDLE) {
                return true;
            }
            if (now != RUNNING || STATE.compareAndSet(this, RUNNING, WOKEN)) {
                return false;
            }
        }
    }

    /** The task is in the queue, and there is a thread that looks at it. */
    void schedule() {
        if (state == IDLE) {
            state = SCHEDULED;
        }
    }

    /** The step is about to run. */
    void begin() {
        if (state != CANCELLED) {
            state = RUNNING;
        }
    }

    /**
     * The step has run, or was cut off.
     *
     * @param more whether it wants to run again
     * @return whether the task must be in the queue
     */
    boolean end(boolean more) {
        if (state == CANCELLED || (!more && STATE.compareAndSet(this, RUNNING, IDLE))) {
            return false;
        }
        state = SCHEDULED;
        return true;
    }

    /** For good. */
    void cancel() {
        state = CANCELLED;
    }

    /** Whether nothing is to be done until somebody wakes it. */
    boolean isIdle() {
        return state == IDLE;
    }

    /** Whether a thread is to run the step. */
    boolean isScheduled() {
        return state == SCHEDULED;
    }

    boolean isCancelled() {
        return state == CANCELLED;
    }
}
