package io.polder.background;

import org.jspecify.annotations.Nullable;

/**
 * The tasks that are scheduled, the next one due in front; of those due at one time, the one that
 * came first.
 *
 * <pre>{@code
 *   first --> task --next--> task --next--> null
 * }</pre>
 *
 * <p>Linked through the tasks, so that nothing is allocated. There are as many as pools with free
 * memory, and jobs that wait: few.
 *
 * <p>Invariants: sorted by the time due; no task twice.
 *
 * <p>Failure. One store adds or removes a task, so a change that is cut short was made or not. What
 * the {@code next} of a task says that is not here means nothing.
 *
 * <p>Not thread-safe: guarded by the monitor of the {@link Background}.
 */
final class TaskQueue {
    @Nullable Task first;

    boolean contains(Task task) {
        Task each = first;
        while (each != null && each != task) {
            each = each.next;
        }
        return each != null;
    }

    /** Adds a task that is not here. */
    void add(Task task) {
        Task before = null;
        Task after = first;
        while (after != null && after.dueNanos - task.dueNanos <= 0) {
            before = after;
            after = after.next;
        }
        task.next = after;
        link(before, task);
    }

    /** Removes a task if it is here. */
    void remove(Task task) {
        Task before = null;
        for (Task each = first; each != null; each = each.next) {
            if (each == task) {
                link(before, task.next);
                task.next = null;
                return;
            }
            before = each;
        }
    }

    private void link(@Nullable Task before, @Nullable Task task) {
        if (before == null) {
            first = task;
        } else {
            before.next = task;
        }
    }
}
