package io.polder.background;

import org.jspecify.annotations.Nullable;

/**
 * The jobs that wait, first come first served.
 *
 * <pre>{@code
 *   first --> job --next--> job --next--> job <-- last
 * }</pre>
 *
 * <p>Failure. Each change consists of stores in place, between which nothing can be thrown. A job
 * is allocated before the monitor is taken.
 *
 * <p>Not thread-safe: guarded by the monitor of the {@link Background}.
 */
final class JobQueue {
    private @Nullable Job first;
    private @Nullable Job last; // means nothing while first is null

    /** Something to do once. */
    static final class Job {
        final Runnable work;
        private @Nullable Job next;

        Job(Runnable work) {
            this.work = work;
        }
    }

    void add(Job job) {
        Job before = last;
        if (first == null || before == null) {
            first = job;
        } else {
            before.next = job;
        }
        last = job;
    }

    /** Removes the first one; null if there is none. */
    @Nullable Job poll() {
        Job job = first;
        if (job != null) {
            first = job.next;
        }
        return job;
    }
}
