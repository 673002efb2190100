package io.polder.background;

import org.jspecify.annotations.Nullable;

/**
 * The jobs that wait, first come first served.
 *
 * <pre>{@code
 *   first --> job --next--> job --next--> job <-- last
 * }</pre>
 *
 * <p>A job stays in front while it runs, marked as begun, and is removed by whoever looks for the
 * next one: so it is here or has begun at every moment, and begins once.
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
        private final Runnable work;
        private @Nullable Job next;
        private boolean begun; // written by the thread that runs it

        Job(Runnable work) {
            this.work = work;
        }

        /** What to do; it is not in front any more when it has returned, or thrown. */
        Runnable begin() {
            begun = true;
            return work;
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

    /** The first one that has not begun; null if there is none. */
    @Nullable Job next() {
        Job job = first;
        while (job != null && job.begun) {
            job = job.next;
            first = job;
        }
        return job;
    }
}
