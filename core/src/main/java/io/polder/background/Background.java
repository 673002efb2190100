package io.polder.background;

import org.jspecify.annotations.Nullable;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;

/**
 * One daemon thread for what many do now and then, which is there only while somebody needs it; and
 * one more for each step that is held up while others are due.
 *
 * <pre>{@code
 *   wake -----> due after a period --+
 *                                    +--> queue of tasks, by time due --> the thread: one at a time
 *   execute --> due now, once -------+
 *
 *   no thread --a task comes--> a thread --nothing for the idle time--> no thread
 *
 *   in a step that is held up --another thread takes over--> after the step, no thread
 * }</pre>
 *
 * <p>A job is a task whose step runs once. A step is late by what runs before it, but for a step
 * that says that it is {@linkplain Task#heldUp held up}. Then a <i>successor</i> is started, which
 * is the thread from then on. If the step ends before the successor's first turn, or when that has
 * ended, the thread that was held up serves again, and otherwise puts its task back and ends.
 *
 * <p>Invariants. A {@link Task} that is scheduled is in the queue, or a thread is its {@code
 * runner}; while a thread is {@code serving}, what is in the queue is scheduled. What is in the
 * queue and not scheduled, for want of a thread, has the next wake-up look for one. Only the thread
 * of {@code loop} takes from the queue.
 *
 * <p>Locking. One monitor, innermost: nothing of others runs while it is held, but for the JDK's
 * start of a thread. The thread decides to end, and others that they need none, under it: so
 * nothing is put into the queue of a thread that has just ended. Nothing is logged under it, nor by
 * who wakes a task, who may hold any lock: a thread of its own does that, {@code telling}, so that
 * a logger that waits holds up no step.
 *
 * <p>Failure. Whatever a step or a job throws is logged. The job is done; the step runs again after
 * its period, or at the next wake-up if it has failed before and fails for want of a class, which
 * will never come. If no thread can be started, that is tried again with each wake-up, job or
 * {@link #tell} that finds it {@linkplain ThreadStarts time} for it, and once a second by {@code
 * telling}, if that has a thread; it is logged by the thread that calls {@code tell}, or at last by
 * the thread. Interrupts of the thread have no effect.
 *
 * <p>A change that is cut short anywhere, by a {@link StackOverflowError} or for want of Java heap,
 * is mended. Primary are the queue and the {@code running} of each thread: the task that it has
 * taken, from before it leaves the queue until after it is in there again, or needs not be. A turn
 * that finds it set puts the task back, unless another thread has taken that meanwhile; so its step
 * may run once more. A thread survives its turns, and one that ended before its first turn is
 * replaced, since it does not serve yet. Waits of others for it are of bounded length and look
 * again.
 *
 * <p>Thread-safe.
 */
public final class Background {
    /** How long the thread waits for more: guessed, next to a decay of a second. */
    private static final Duration IDLE = Duration.ofSeconds(10);

    /**
     * Before a turn after one that was cut short, in nanoseconds: no loop at full speed. Guessed.
     */
    private static final long PAUSE_NANOS = 1_000_000L;

    /** How long a step may be held up while others are due. Guessed: few are ever. */
    static final long PATIENCE_NANOS = 100_000_000L;

    /** After which who waits for a step looks again, in milliseconds. Guessed. */
    private static final long LOOK_MILLIS = 100;

    /** Between two attempts of others to start a thread. Guessed, next to a decay of a second. */
    private static final long AGAIN_NANOS = 1_000_000_000L;

    private final String name;

    /** Null for that of the library. */
    private final @Nullable ThreadFactory threads;

    private final Clock clock;

    /** How long the thread waits for more; guarded by the monitor. */
    long idleNanos;

    /** Null for that of the library, which is asked for when something is to be logged. */
    private final System.@Nullable Logger logger;

    /** Where it is logged what fails here; null if here. */
    private final @Nullable Background telling;

    /** Has others try to start a thread where none could be; null if there are none. */
    private final @Nullable Task again;

    final Object monitor = new Object();

    /**
     * Tasks that wait, none twice, the next one due in front; of those due at one time, the one
     * that came first. As many as pools with free memory, and jobs that wait: few.
     */
    final List<Task> queue = new ArrayList<>();

    private final ThreadStarts starts = new ThreadStarts();

    /** Of the thread that serves, or was started for that, or in order to take over. */
    private @Nullable Loop loop;

    /** Whether that thread has had a turn, so that it does not end but by itself. */
    boolean serving;

    /**
     * One that logs by itself what fails in it, as one for what others are told does: loggers may
     * hold it up, so nothing that is needed belongs there. No thread yet.
     *
     * @param threadName what the thread will be called
     */
    public Background(String threadName) {
        this(threadName, null);
    }

    /**
     * No thread yet.
     *
     * @param threadName what the thread will be called
     * @param telling where what fails is logged; null if here
     */
    public Background(String threadName, @Nullable Background telling) {
        this(threadName, null, Clock.SYSTEM, IDLE.toNanos(), null, telling);
    }

    /**
     * No thread yet.
     *
     * @param name what the thread will be called
     * @param threads makes the thread; null if a daemon of that name will do
     * @param clock what is meant by time
     * @param idleNanos how long the thread waits for more
     * @param logger told of what fails; null if that of the library is
     * @param telling where what fails is logged; null if here
     */
    Background(
            String name,
            @Nullable ThreadFactory threads,
            Clock clock,
            long idleNanos,
            System.@Nullable Logger logger,
            @Nullable Background telling) {
        this.name = name;
        this.threads = threads;
        this.clock = clock;
        this.idleNanos = idleNanos;
        this.logger = logger;
        this.telling = telling;
        this.again = telling == null ? null : telling.task(new Again(), AGAIN_NANOS);
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

    /** Runs a job once, soon, after all that were passed here before. */
    public void execute(Runnable job) {
        enqueue(new Task(this, new Job(Objects.requireNonNull(job)), 0));
    }

    /** The step of a job: whatever becomes of it, it is not run again once it has begun. */
    private final class Job implements Step {
        private final Runnable work;
        private boolean begun;

        Job(Runnable work) {
            this.work = work;
        }

        @Override
        public boolean run() {
            if (begun) {
                return false;
            }
            begun = true;
            try {
                work.run();
            } catch (Throwable failure) {
                tellElsewhere("a background job failed: job=" + work.getClass().getName(), failure);
            }
            return false;
        }
    }

    /** Sees to it that a task that was woken is in the queue, and that there is a thread. */
    void enqueue(Task task) {
        boolean none;
        synchronized (monitor) {
            if (!task.wakeLocked()) {
                return; // another waker was first, the mark is left, or it is cancelled
            }
            addLocked(task);
            startLocked();
            if (serving) {
                task.scheduleLocked();
            }
            none = loop == null;
        }
        if (none && again != null) {
            again.wake();
        }
    }

    /**
     * Says that little is to come: from now on the thread ends as soon as nothing is left in the
     * queue. What comes nevertheless has another one.
     */
    public void expectNothing() {
        synchronized (monitor) {
            idleNanos = 0;
            monitor.notifyAll();
        }
    }

    /** Puts a task into the queue if it is not there. */
    void addLocked(Task task) {
        if (!queue.contains(task)) {
            task.dueNanos = clock.nanoTime() + task.periodNanos;
            int at = queue.size();
            while (at > 0 && queue.get(at - 1).dueNanos - task.dueNanos > 0) {
                at--;
            }
            queue.add(at, task);
        }
    }

    private @Nullable Task firstLocked() {
        return queue.isEmpty() ? null : queue.getFirst();
    }

    /** Tells the thread that there is something new, or starts one if it is time to try. */
    private void startLocked() {
        if (isAlive(loop)) {
            monitor.notifyAll();
            return;
        }
        serving = false;
        loop = tryStartLocked();
    }

    private static boolean isAlive(@Nullable Loop loop) {
        Thread thread = loop == null ? null : loop.thread;
        return thread != null && thread.isAlive();
    }

    /** Null if no thread was started; should it run nevertheless, it ends since nobody knows it. */
    private @Nullable Loop tryStartLocked() {
        long now = clock.nanoTime();
        if (!starts.isDue(now)) {
            return null;
        }
        try {
            Loop started = new Loop();
            Thread thread =
                    threads == null
                            ? LibraryThread.daemon(name, started)
                            : threads.newThread(started);
            started.thread = thread;
            thread.start();
            return started;
        } catch (StackOverflowError tooDeep) { // says nothing of threads
            return null;
        } catch (Throwable failure) {
            starts.failed(failure, now);
            return null;
        }
    }

    /** Has another thread take over if the step has run for long and others are due. */
    void heldUp(Task task) {
        synchronized (monitor) {
            Task first = firstLocked();
            if (!serving && first != null) {
                startLocked(); // another one than a successor that has ended before its first turn
            }
            if (loop == null || loop.running != task || first == null) {
                return;
            }
            long now = clock.nanoTime();
            if (first.dueNanos - now <= 0 && now - loop.begunNanos >= PATIENCE_NANOS) {
                Loop successor = tryStartLocked();
                if (successor != null) {
                    serving = false;
                    loop = successor;
                }
            }
        }
    }

    /**
     * Logs, in the calling thread, that no thread can be started, if that is so and was not logged;
     * and tries again for tasks that wait for one. To be called now and then with no lock held.
     */
    public void tell() {
        Throwable failure;
        synchronized (monitor) {
            if (!serving && !queue.isEmpty()) {
                startLocked();
            }
            failure = starts.takeUntold();
        }
        if (failure != null) {
            log(noThread(), failure);
        }
    }

    /** Tells, as long as tasks wait for a thread; no lambda, as {@link Loop} is none. */
    private final class Again implements Step {
        @Override
        public boolean run() {
            tell();
            synchronized (monitor) {
                return loop == null && !queue.isEmpty();
            }
        }
    }

    private @Nullable Throwable takeUntold() {
        synchronized (monitor) {
            return starts.takeUntold();
        }
    }

    private String noThread() {
        return "a thread for background work cannot be started: thread=" + name;
    }

    void cancel(Task task) {
        boolean interrupted = false;
        synchronized (monitor) {
            task.cancelLocked();
            queue.remove(task);
            while (task.runner != null && task.runner != Thread.currentThread()) {
                try {
                    monitor.wait(LOOK_MILLIS);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * What a thread is made of; no lambda, which a program that starts would wait for. Its fields
     * are guarded by the monitor.
     */
    private final class Loop implements Runnable {
        @Nullable Thread thread;
        @Nullable Task running;

        /** When the step began that is {@code running}. */
        long begunNanos;

        @Override
        public void run() {
            boolean cutOff = false;
            while (true) {
                try {
                    if (cutOff) {
                        cutOff = false;
                        Thread.interrupted(); // or it would not wait
                        LockSupport.parkNanos(PAUSE_NANOS);
                    }
                    if (!turn(this)) {
                        return;
                    }
                } catch (Throwable thrown) {
                    cutOff = true; // the next turn mends what this one has begun
                }
            }
        }
    }

    /** Waits for something to do and does it; returns whether the thread goes on. */
    private boolean turn(Loop mine) {
        Throwable failure = takeUntold();
        if (failure != null) {
            tellElsewhere(noThread(), failure);
        }
        Thread.interrupted(); // means nothing here, and would disturb a step
        Task task = next(mine);
        if (task != null) {
            runStep(mine, task);
        }
        return task != null;
    }

    /** Waits for a task that is due, which begins then; null if the thread must end. */
    private @Nullable Task next(Loop mine) {
        synchronized (monitor) {
            Task cutOff = mine.running;
            if (cutOff != null) {
                endLocked(mine, cutOff, true);
            }
            if (loop != mine) {
                return null; // another one was started instead, or the step has ended first
            }
            serveLocked();
            long idleSince = clock.nanoTime();
            while (true) {
                Task first = firstLocked();
                long now = clock.nanoTime();
                if (first != null && first.dueNanos - now <= 0) {
                    mine.begunNanos = now;
                    mine.running = first;
                    first.runner = mine.thread;
                    queue.remove(first);
                    first.beginLocked();
                    return first;
                }
                long until = first != null ? first.dueNanos : idleSince + idleNanos;
                if (first == null && until - now <= 0) {
                    loop = null;
                    serving = false;
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

    /** Has tasks scheduled that wait for a thread. Does nothing if it is done already. */
    private void serveLocked() {
        if (!serving) {
            for (Task each : queue) {
                each.scheduleLocked();
            }
            serving = true;
        }
        starts.succeeded();
    }

    /**
     * Ends a step; until {@code running} is cleared, it is ended once more if this is cut short.
     */
    private void endLocked(Loop mine, Task task, boolean more) {
        if (!serving) {
            loop = mine; // who took over has ended, or not begun
        }
        if (task.runner == mine.thread) { // or another took it after this was cut short
            if (task.endLocked(more)) {
                addLocked(task);
            } else {
                queue.remove(task);
            }
            task.runner = null;
        }
        mine.running = null;
        monitor.notifyAll(); // who waits in cancel, and who took over
    }

    private void runStep(Loop mine, Task task) {
        boolean more = true;
        Throwable failure = null;
        try {
            more = task.step.run();
        } catch (Throwable thrown) {
            failure = thrown;
        }
        int failures = 0;
        synchronized (monitor) {
            if (failure == null) {
                task.failuresInARow = 0;
            } else {
                failures = ++task.failuresInARow;
                more = failures == 1 || !(failure instanceof LinkageError);
            }
            endLocked(mine, task, more);
        }
        if (failure != null && isToTell(failure, failures)) {
            tellElsewhere("a background task failed: failuresInARow=" + failures, failure);
        }
    }

    /**
     * Whether a failure is logged: the first, the second, the fourth and so on in a row. A first
     * {@link OutOfMemoryError} is not: while the Java heap is full, classes that logging needs may
     * fail to initialize, and then the program could not log any more either.
     */
    private static boolean isToTell(Throwable failure, int failures) {
        boolean passing = failures == 1 && failure instanceof OutOfMemoryError;
        return !passing && Integer.bitCount(failures) == 1;
    }

    /** Logs a message where that holds up nobody. */
    private void tellElsewhere(String message, Throwable failure) {
        if (telling == null) {
            log(message, failure);
        } else {
            telling.execute(() -> log(message, failure));
        }
    }

    /** Logs if it can: where the heap is used up, not even the message can be made. */
    private void log(String message, Throwable failure) {
        try {
            System.Logger to = logger == null ? System.getLogger("io.polder") : logger;
            to.log(Level.WARNING, message, failure);
        } catch (Throwable ignored) {
            // There is nobody left to tell
        }
    }

    /** The thread that is there now, for tests. */
    @Nullable Thread thread() {
        synchronized (monitor) {
            return loop == null ? null : loop.thread;
        }
    }
}
