package io.polder.background;

import org.jspecify.annotations.Nullable;

/**
 * Work that is done in steps, a period apart, as long as there is some; made by {@link
 * Background#task}.
 *
 * <p>It does nothing until it is woken. A period later its step runs, and again after another
 * period, until it says that nothing is left. Then the next {@link #wake} begins anew.
 *
 * <p>Thread-safe.
 */
public final class Task {
    private final Background background;
    private final Step step;
    private final long periodNanos;
    private final TaskState state = new TaskState();

    // Guarded by the monitor of the background.
    private @Nullable Task next;
    private long dueNanos;
    private int failuresInARow;

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
     * allocates nothing, but for a thread if there is none; logs nothing. The caller may hold any
     * lock that the background thread is not waited for with. Does nothing once the task is
     * cancelled.
     *
     * <p>If this is cut off by an {@link Error}, the task may be asleep still. The next call wakes
     * it.
     */
    public void wake() {
        if (state.wake()) {
            background.enqueue(this);
        }
    }

    /**
     * Ends the task for good. When this returns, its step is not running and will not run, unless
     * the step itself is the caller: then this is the last time.
     *
     * <p>Waits for a step that is running. So the caller must hold no lock that the step takes. An
     * interrupt does not end the wait, and is still there afterwards. If this is cut off by an
     * {@link Error}, it may be called again.
     */
    public void cancel() {
        background.cancel(this);
    }

    /** Whether it is asleep: its step neither runs nor will without a {@link #wake}. */
    public boolean isAsleep() {
        return state.isIdle();
    }

    Step step() {
        return step;
    }

    long periodNanos() {
        return periodNanos;
    }

    TaskState state() {
        return state;
    }

    @Nullable Task nextLocked() {
        return next;
    }

    void setNextLocked(@Nullable Task task) {
        next = task;
    }

    long dueNanosLocked() {
        return dueNanos;
    }

    void setDueNanosLocked(long nanos) {
        dueNanos = nanos;
    }

    /** Counts a step that threw. */
    int failedLocked() {
        failuresInARow++;
        return failuresInARow;
    }

    /** A step did not throw. */
    void succeededLocked() {
        failuresInARow = 0;
    }
}
