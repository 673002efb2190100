package io.polder.background;

import io.polder.stress.everywhere.Plan;
import io.polder.stress.everywhere.Require;
import io.polder.stress.everywhere.Scenario;
import io.polder.stress.everywhere.ThrowEverywhere;
import io.polder.stress.everywhere.Throwing;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** The operations of the background, each tried by itself; part of {@code throw-everywhere}. */
public final class BackgroundOperations {
    /** Far longer than it takes, and less than a point may. */
    private static final Duration PATIENCE = Duration.ofSeconds(100);

    /** After this, a thread that could not be started may be tried again. */
    private static final Duration WHILE = Duration.ofHours(1);

    /** For so long a thread is thrown in at every point, if it does not end by that. */
    private static final Duration THROWN_IN = Duration.ofMillis(20);

    private BackgroundOperations() {}

    /** Tries those that the arguments name; exit code 1 if something is wrong. */
    public static void main(String[] arguments) {
        ThrowEverywhere everywhere = new ThrowEverywhere(Plan.parse(arguments));
        tryAll(everywhere);
        System.exit(everywhere.report() ? 0 : 1);
    }

    /** Tries all of them. */
    public static void tryAll(ThrowEverywhere everywhere) {
        everywhere.check("background.wake", Wake::new);
        everywhere.check("background.execute", Execute::new);
        everywhere.check("background.hasten", Hasten::new);
        everywhere.check("background.cancel", Cancel::new);
        everywhere.check("background.loop", Loop::new);
    }

    /**
     * A background of its own, whose time passes as soon as somebody waits for it, and a task that
     * another one has. Threads start when they are let.
     */
    private abstract static class BackgroundScenario implements Scenario {
        private static final long PERIOD = 1000;

        final Jumping clock = new Jumping();
        final Object monitor = new Object();
        final CountDownLatch mayRun = new CountDownLatch(1);
        final AtomicInteger steps = new AtomicInteger();
        final AtomicInteger othersSteps = new AtomicInteger();
        final Background background =
                new Background(
                        "test", this::thread, clock, 2 * PERIOD, QuietBackground.silence(), null);
        final Task task = background.task(() -> counts(steps), PERIOD);
        final Task other = background.task(() -> counts(othersSteps), PERIOD);

        @Nullable Thread started;

        private boolean counts(AtomicInteger counter) {
            counter.incrementAndGet();
            synchronized (monitor) {
                monitor.notifyAll();
            }
            return false;
        }

        private Thread thread(Runnable loop) {
            started =
                    Thread.ofPlatform()
                            .daemon()
                            .uncaughtExceptionHandler((_, _) -> {}) // it was injected
                            .unstarted(
                                    () -> {
                                        try {
                                            mayRun.await();
                                        } catch (InterruptedException never) {
                                            return;
                                        }
                                        loop.run();
                                    });
            return started;
        }

        /** Checks that what is woken runs, a while later, from the first wake-up on. */
        @Override
        public void check(@Nullable Throwable thrown) throws InterruptedException {
            mayRun.countDown();
            clock.pass(WHILE.toNanos());
            requireRuns(other, othersSteps);
            checkTask();
            BackgroundCheck.verify(background);
        }

        abstract void checkTask() throws InterruptedException;

        /** Wakes a task, and waits until its step has run once more. */
        final void requireRuns(Task some, AtomicInteger counter) throws InterruptedException {
            int before = counter.get();
            some.wake();
            awaitMore(counter, before);
        }

        final void awaitMore(AtomicInteger counter, int before) throws InterruptedException {
            long end = System.nanoTime() + PATIENCE.toNanos();
            synchronized (monitor) {
                while (counter.get() == before) {
                    Require.that(System.nanoTime() < end, "what is woken or executed runs");
                    monitor.wait(100);
                }
            }
        }
    }

    /** Time that passes when somebody waits. */
    private static final class Jumping implements Clock {
        private long now;

        @Override
        public synchronized long nanoTime() {
            return now;
        }

        @Override
        public void await(Object monitor, long nanos) {
            pass(nanos);
        }

        synchronized void pass(long nanos) {
            now += nanos;
        }
    }

    /** Starts the thread. */
    private static final class Wake extends BackgroundScenario {
        @Override
        public void operate() {
            task.wake();
        }

        @Override
        void checkTask() throws InterruptedException {
            requireRuns(task, steps);
        }
    }

    /** Starts the thread for a job. */
    private static final class Execute extends BackgroundScenario {
        private final AtomicInteger jobs = new AtomicInteger();

        @Override
        public void operate() {
            background.execute(jobs::incrementAndGet);
        }

        @Override
        void checkTask() throws InterruptedException {
            int before = jobs.get();
            background.execute(
                    () -> {
                        jobs.incrementAndGet();
                        synchronized (monitor) {
                            monitor.notifyAll();
                        }
                    });
            awaitMore(jobs, before);
        }
    }

    /** Has what is in the queue come sooner. */
    private static final class Hasten extends BackgroundScenario {
        Hasten() {
            task.wake();
        }

        @Override
        public void operate() {
            task.hasten(1);
        }

        @Override
        void checkTask() throws InterruptedException {
            requireRuns(task, steps);
        }
    }

    /** Cancels what is in the queue. */
    private static final class Cancel extends BackgroundScenario {
        Cancel() {
            task.wake();
        }

        @Override
        public void operate() {
            task.cancel();
        }

        @Override
        void checkTask() {
            task.cancel();
            int before = steps.get();
            task.wake();
            Require.equal("steps of what is cancelled", steps.get(), before);
        }
    }

    /** The thread itself is what something is thrown in. */
    private static final class Loop extends BackgroundScenario {
        Loop() {
            task.wake();
        }

        @Override
        public void operate() throws InterruptedException {
            Thread loop = started;
            if (loop == null) {
                throw new AssertionError("a task that was woken has a thread");
            }
            Throwing.handOver(loop);
            mayRun.countDown();
            boolean _ = loop.join(THROWN_IN);
        }

        @Override
        void checkTask() throws InterruptedException {
            requireRuns(task, steps);
        }
    }
}
