package io.polder.background;

import org.jspecify.annotations.Nullable;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.concurrent.ThreadFactory;

/**
 * One daemon thread for what many do now and then, which is there only while somebody needs it.
 *
 * <pre>{@code
 *   wake ------> queue of tasks, by time due --+
 *                                              +--> the thread: one step or job at a time
 *   execute ---> jobs, first come first served-+
 *
 *   no thread --a task or job comes--> a thread --nothing for the idle time--> no thread
 * }</pre>
 *
 * <p>Tasks that are due go before jobs: each has to wait for a period after its step, so jobs get
 * their turn. A step is late by what runs before it.
 *
 * <p>Invariants: a task is in the queue iff it is {@linkplain TaskState scheduled} and its waker
 * has got here; if the queue or the jobs hold anything, there is a thread, or starting one failed.
 *
 * <p>Locking. One monitor, innermost: nothing of others runs while it is held, but for the JDK's
 * start of a thread. The thread decides to end, and others that they need none, under it: so
 * nothing is put into the queue of a thread that has just ended.
 *
 * <p>Failure. Whatever a step or a job throws is logged. The job is done; the step runs again after
 * its period. If no thread can be started, that is logged; jobs wait until one can be, and tasks
 * are idle again, so that their next wake-up tries anew. Interrupts of the thread have no effect.
 *
 * <p>Thread-safe.
 */
public final class Background {
    /** How long the thread waits for more: guessed, next to a decay of a second. */
    private static final Duration IDLE = Duration.ofSeconds(10);

    private final ThreadFactory threads;
    private final Clock clock;
    private final long idleNanos;
    private final System.Logger logger;

    private final Object monitor = new Object();
    private final TaskQueue queue = new TaskQueue();
    private final ArrayDeque<Runnable> jobs = new ArrayDeque<>();
    private @Nullable Thread thread;
    private @Nullable Task running;

    /**
     * No thread yet.
     *
     * @param threadName what the thread will be called
     */
    public Background(String threadName) {
        this(
                Thread.ofPlatform()
                        .name(threadName)
                        .daemon()
                        .inheritInheritableThreadLocals(false)
                        .factory(),
                Clock.SYSTEM,
                IDLE.toNanos(),
                System.getLogger("io.polder"));
    }

    /**
     * For tests.
     *
     * @param threads makes the thread
     * @param clock what is meant by time
     * @param idleNanos how long the thread waits for more
     * @param logger told of what fails
     */
    Background(ThreadFactory threads, Clock clock, long idleNanos, System.Logger logger) {
        this.threads = threads;
        this.clock = clock;
        this.idleNanos = idleNanos;
        this.logger = logger;
    }

    /**
     * Makes a task, which nobody has woken yet. It is remembered here only while it is scheduled.
     *
     * @param step what to do each time
     * @param periodNanos time from a wake-up, or the end of a step, to the next step; more than 0
     */
    public Task task(Step step, long periodNanos) {
        if (periodNanos <= 0) {
            throw new IllegalArgumentException(
                    "a period must be positive: periodNanos=" + periodNanos);
        }
        return new Task(this, Objects.requireNonNull(step), periodNanos);
    }

    /** Has a job run once, soon, after all that were passed here before. */
    public void execute(Runnable job) {
        Objects.requireNonNull(job);
        Throwable failure;
        synchronized (monitor) {
            jobs.addLast(job);
            failure = startLocked();
        }
        logNoThread(failure);
    }

    /** Puts a task into the queue that has just become scheduled. */
    void enqueue(Task task) {
        Throwable failure;
        synchronized (monitor) {
            if (!task.state().isScheduled()) {
                return; // cancelled meanwhile
            }
            addLocked(task);
            failure = startLocked();
            if (failure != null) {
                queue.remove(task);
                task.state().unschedule();
            }
        }
        logNoThread(failure);
    }

    private void addLocked(Task task) {
        task.setDueNanosLocked(clock.nanoTime() + task.periodNanos());
        queue.add(task);
    }

    /** Tells the thread that there is something new, or starts one; returns why that failed. */
    private @Nullable Throwable startLocked() {
        if (thread != null) {
            monitor.notifyAll();
            return null;
        }
        try {
            Thread started = threads.newThread(new Loop());
            started.setContextClassLoader(null); // keeps no application alive
            started.start();
            thread = started;
            return null;
        } catch (Throwable failure) {
            return failure;
        }
    }

    private void logNoThread(@Nullable Throwable failure) {
        if (failure != null) {
            log("a thread for background work cannot be started: threads=", threads, failure);
        }
    }

    void cancel(Task task) {
        boolean interrupted = false;
        synchronized (monitor) {
            task.state().cancel();
            queue.remove(task);
            while (running == task && Thread.currentThread() != thread) {
                try {
                    monitor.wait();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** What the thread is made of; no lambda, which a program that starts would wait for. */
    private final class Loop implements Runnable {
        @Override
        public void run() {
            runThread();
        }
    }

    /** What the thread does, from its start to its end. */
    private void runThread() {
        try {
            Object work = next();
            while (work != null) {
                Thread.interrupted(); // means nothing here, and would disturb a step
                if (work instanceof Task task) {
                    runStep(task);
                } else {
                    runJob((Runnable) work);
                }
                work = next();
            }
        } finally {
            synchronized (monitor) {
                if (thread == Thread.currentThread()) {
                    thread = null;
                }
            }
        }
    }

    /** Waits for a task that is due, which begins then, or a job; null if the thread must end. */
    private @Nullable Object next() {
        synchronized (monitor) {
            long idleSince = clock.nanoTime();
            while (true) {
                Task first = queue.first();
                long now = clock.nanoTime();
                if (first != null && first.dueNanosLocked() - now <= 0) {
                    queue.remove(first);
                    first.state().begin();
                    running = first;
                    return first;
                }
                Runnable job = jobs.pollFirst();
                if (job != null) {
                    return job;
                }
                long until = first != null ? first.dueNanosLocked() : idleSince + idleNanos;
                if (first == null && until - now <= 0) {
                    thread = null;
                    return null;
                }
                try {
                    clock.await(monitor, until - now);
                } catch (InterruptedException ignored) {
                    // Nobody has a reason to; what there is to do is looked at again.
                }
            }
        }
    }

    private void runStep(Task task) {
        boolean more = true;
        Throwable failure = null;
        try {
            more = task.step().run();
        } catch (Throwable thrown) {
            failure = thrown;
        }
        int failures = 0;
        synchronized (monitor) {
            running = null;
            if (failure == null) {
                task.succeededLocked();
            } else {
                failures = task.failedLocked();
            }
            if (task.state().end(more)) {
                addLocked(task);
            }
            monitor.notifyAll(); // who waits in cancel
        }
        if (failure != null && Integer.bitCount(failures) == 1) {
            log("a background task failed: failuresInARow=", failures, failure);
        }
    }

    private void runJob(Runnable job) {
        try {
            job.run();
        } catch (Throwable failure) {
            log("a background job failed: job=", job.getClass().getName(), failure);
        }
    }

    /** Logs if it can: where the heap is used up, not even the message can be made. */
    private void log(String message, Object fact, Throwable failure) {
        try {
            logger.log(Level.WARNING, message + fact, failure);
        } catch (Throwable ignored) {
            // There is nobody left to tell
        }
    }

    /** The thread that is there now, for tests. */
    @Nullable Thread thread() {
        synchronized (monitor) {
            return thread;
        }
    }

    /** Checks the invariants. */
    void verify() {
        synchronized (monitor) {
            queue.verify();
            for (Task each = queue.first(); each != null; each = each.nextLocked()) {
                if (!each.state().isScheduled() || each == running) {
                    throw new AssertionError("what is in the queue is scheduled: queue=" + queue);
                }
            }
            if (queue.first() != null && thread == null) {
                throw new AssertionError("what is in the queue has a thread: queue=" + queue);
            }
        }
    }
}
