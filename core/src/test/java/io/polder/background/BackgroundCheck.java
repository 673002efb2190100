package io.polder.background;

import java.util.HashSet;
import java.util.List;
import java.util.StringJoiner;

/** Checks the invariants of a {@link Background} and of its queue. */
public final class BackgroundCheck {
    private BackgroundCheck() {}

    /** Checks that a thread, if there is one, ends when there is nothing to do. */
    public static void verifyEndsSoon(Background background) {
        synchronized (background.monitor) {
            if (background.idleNanos != 0) {
                throw new AssertionError(
                        "nobody keeps the thread: idleNanos=" + background.idleNanos);
            }
        }
    }

    static void verify(Background background) {
        synchronized (background.monitor) {
            List<Task> queue = background.queue;
            if (new HashSet<>(queue).size() != queue.size()) {
                throw new AssertionError("no task is in the queue twice: queue=" + due(queue));
            }
            for (int i = 1; i < queue.size(); i++) {
                if (queue.get(i).dueNanos - queue.get(i - 1).dueNanos < 0) {
                    throw new AssertionError("the queue is sorted: queue=" + due(queue));
                }
            }
            for (Task each : queue) {
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

    /** When each is due. */
    private static String due(List<Task> queue) {
        StringJoiner due = new StringJoiner(", ", "[", "]");
        for (Task each : queue) {
            due.add(String.valueOf(each.dueNanos));
        }
        return due.toString();
    }

    /** How long it is between two steps. */
    public static long periodNanos(Task task) {
        return task.periodNanos;
    }
}
