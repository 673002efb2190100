package io.polder.background;

import java.util.StringJoiner;

/** Checks the invariants of a {@link Background} and of its queue. */
final class BackgroundCheck {
    private BackgroundCheck() {}

    static void verify(Background background) {
        synchronized (background.monitor) {
            TaskQueue queue = background.queue;
            verify(queue);
            for (Task each = queue.first; each != null; each = each.next) {
                if (background.serving != each.isScheduledLocked() || each.runner != null) {
                    throw new AssertionError(
                            "what is in the queue of a thread that serves is scheduled: serving="
                                    + background.serving
                                    + ", queue="
                                    + due(queue));
                }
            }
            Thread thread = background.thread();
            if (background.serving && (thread == null || !thread.isAlive())) {
                throw new AssertionError("who serves is alive: thread=" + thread);
            }
        }
    }

    static void verify(TaskQueue queue) {
        for (Task each = queue.first; each != null; each = each.next) {
            Task after = each.next;
            if (after != null && after.dueNanos - each.dueNanos < 0) {
                throw new AssertionError("the queue is sorted: queue=" + due(queue));
            }
        }
    }

    /** When each is due. */
    private static String due(TaskQueue queue) {
        StringJoiner due = new StringJoiner(", ", "[", "]");
        for (Task each = queue.first; each != null; each = each.next) {
            due.add(String.valueOf(each.dueNanos));
        }
        return due.toString();
    }
}
