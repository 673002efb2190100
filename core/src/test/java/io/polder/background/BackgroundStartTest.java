package io.polder.background;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.Await;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/** Where the system has no more threads: told once, tried again ever more rarely, nothing lost. */
@Timeout(300)
class BackgroundStartTest {
    private static final long PERIOD = 1000;
    private static final long IDLE = 10_000;
    private static final long LONGEST = ThreadStarts.PAUSE_MAX_NANOS;

    private final ManualClock clock = new ManualClock(Long.MAX_VALUE - LONGEST);
    private final LogRecorder log = new LogRecorder();
    private final NoThreads threads = new NoThreads();
    private final Background starved = new Background("test", threads, clock, IDLE, log, null);
    private final BackgroundFixture.Counter counter = BackgroundFixture.Counter.once();

    /** Makes threads that cannot be started, as where the system has no more. */
    private static final class NoThreads implements ThreadFactory {
        private volatile boolean refuses = true;
        private volatile Throwable failure = new OutOfMemoryError("unable to create: a test");
        private int tries;

        @Override
        public Thread newThread(Runnable task) {
            tries++;
            Thread thread =
                    new Thread(task) {
                        @Override
                        public void start() {
                            if (refuses) {
                                throw sneaky(failure);
                            }
                            super.start();
                        }
                    };
            thread.setDaemon(true);
            return thread;
        }

        private static Error sneaky(Throwable failure) {
            return (Error) failure;
        }
    }

    @Test
    void wake_noThreadCanBeStarted_isToldOnceAndByNobodyWhoWakes() throws Exception {
        Task task = starved.task(counter, PERIOD);
        task.wake();
        starved.execute(counter::run);
        assertThat(starved.thread()).isNull();
        BackgroundCheck.verify(starved);
        assertThat(log.entries()).as("who wakes may hold a lock").isEmpty();
        starved.tell();
        assertThat(log.entries())
                .singleElement()
                .satisfies(
                        each -> {
                            assertThat(each.message())
                                    .isEqualTo(
                                            "a thread for background work cannot be started:"
                                                    + " thread=test");
                            assertThat(each.thrown()).isInstanceOf(OutOfMemoryError.class);
                        });
        for (int i = 0; i < 20; i++) {
            clock.advance(LONGEST);
            task.wake();
            starved.tell();
        }
        assertThat(log.entries()).hasSize(1);
        threads.refuses = false;
        clock.advance(LONGEST);
        task.wake();
        counter.entered.acquire(2);
        assertThat(log.entries()).as("was told").hasSize(1);
        task.cancel();
    }

    /** Nobody wakes it again: it may be the last that a closed pool waits for. */
    @Test
    void wake_noThreadCanBeStarted_isTriedByWhoTellsOfFailures() throws Exception {
        Background telling = new Background("test-telling", null, clock, IDLE, log, null);
        Background helped = new Background("test", threads, clock, IDLE, log, telling);
        helped.task(counter, PERIOD).wake();
        assertThat(helped.thread()).isNull();
        threads.refuses = false;
        clock.advance(LONGEST);
        Await.permit(counter.entered);
        BackgroundCheck.verify(helped);
        Await.until("it is told", () -> !log.entries().isEmpty());
        assertThat(log.entries()).hasSize(1);
        clock.advance(IDLE);
    }

    @Test
    void wake_noThreadCanBeStarted_isTriedAfterPausesThatDouble() {
        Task task = starved.task(counter, PERIOD);
        task.wake();
        assertThat(threads.tries).isEqualTo(1);
        long pause = ThreadStarts.PAUSE_NANOS;
        for (int failures = 1; failures < 15; failures++) {
            task.wake();
            clock.advance(pause - 1);
            task.wake();
            starved.execute(() -> {});
            assertThat(threads.tries).isEqualTo(failures);
            clock.advance(1);
            task.wake();
            assertThat(threads.tries).isEqualTo(failures + 1);
            pause = Math.min(2 * pause, LONGEST);
        }
        assertThat(pause).isEqualTo(LONGEST);
    }

    @Test
    void execute_noThreadCanBeStarted_runsWhenOneCanAndTheThreadTells() throws Exception {
        starved.execute(counter::run);
        starved.execute(counter::run);
        threads.refuses = false;
        starved.execute(counter::run);
        assertThat(counter.entered.availablePermits()).isZero();
        clock.advance(ThreadStarts.PAUSE_NANOS);
        starved.task(counter, PERIOD).wake();
        counter.entered.acquire(3);
        clock.advance(PERIOD);
        Await.permit(counter.entered);
        assertThat(log.entries()).hasSize(1);
        BackgroundCheck.verify(starved);
    }

    /** Nobody may wake the task of a closed pool again, but other pools are used. */
    @Test
    void tell_whenOneCanBeStarted_hasWhatWaitsRun() throws Exception {
        Task task = starved.task(counter, PERIOD);
        task.wake();
        threads.refuses = false;
        starved.tell();
        assertThat(starved.thread()).as("it is too early").isNull();
        clock.advance(ThreadStarts.PAUSE_NANOS);
        starved.tell();
        assertThat(starved.thread()).isNotNull();
        Await.permit(counter.entered);
        task.cancel();
        int tries = threads.tries;
        starved.tell();
        assertThat(threads.tries).as("there is nothing to do").isEqualTo(tries);
    }

    @Test
    void wake_atTheEndOfTheStack_isNoReasonToWaitWithTheNextTry() throws Exception {
        threads.failure = new StackOverflowError("a test");
        Task task = starved.task(counter, PERIOD);
        task.wake();
        starved.tell();
        assertThat(log.entries()).isEmpty();
        threads.refuses = false;
        task.wake();
        clock.advance(PERIOD);
        Await.permit(counter.entered);
        task.cancel();
    }

    /** As one whose very first call overflows the stack. */
    @Test
    void wake_threadEndedBeforeItsFirstTurn_isReplaced() throws Exception {
        Thread[] stillborn = new Thread[1];
        Background replacing =
                new Background(
                        "test",
                        work -> {
                            if (stillborn[0] == null) {
                                stillborn[0] = new Thread(() -> {});
                                return stillborn[0];
                            }
                            return Thread.ofPlatform().daemon().unstarted(work);
                        },
                        clock,
                        IDLE,
                        log,
                        null);
        Task task = replacing.task(counter, PERIOD);
        task.wake();
        Await.end(stillborn[0]);
        task.wake();
        assertThat(replacing.thread()).isNotSameAs(stillborn[0]);
        clock.advance(PERIOD);
        Await.permit(counter.entered);
        task.cancel();
        BackgroundCheck.verify(replacing);
    }

    /** Such a thread ends; it must not work beside the one that is started in its place. */
    @Test
    void wake_startFailsAfterTheThreadHasStarted_oneThreadWorks() throws Exception {
        Thread[] twin = new Thread[1];
        Background torn =
                new Background(
                        "test",
                        work -> {
                            if (twin[0] != null) {
                                return Thread.ofPlatform().daemon().unstarted(work);
                            }
                            twin[0] =
                                    new Thread(work) {
                                        @Override
                                        public void start() {
                                            super.start();
                                            throw new StackOverflowError("a test");
                                        }
                                    };
                            return twin[0];
                        },
                        clock,
                        IDLE,
                        log,
                        null);
        Task task = torn.task(counter, PERIOD);
        task.wake();
        Await.end(twin[0]);
        assertThat(torn.thread()).isNull();
        task.wake();
        clock.advance(PERIOD);
        Await.permit(counter.entered);
        task.cancel();
        BackgroundCheck.verify(torn);
    }

    /** A logger that waits holds up neither who wakes, nor steps, nor jobs. */
    @Test
    void run_loggerThatWaits_holdsUpNothingElse() throws Exception {
        Semaphore inLogger = new Semaphore(0);
        Semaphore go = new Semaphore(0);
        LogRecorder stuck =
                new LogRecorder() {
                    @Override
                    void entered() {
                        inLogger.release();
                        go.acquireUninterruptibly();
                    }
                };
        Background patient =
                new Background(
                        "test",
                        Thread.ofPlatform().daemon().factory(),
                        Clock.SYSTEM,
                        TimeUnit.SECONDS.toNanos(1),
                        stuck,
                        new Background("test-telling"));
        patient.execute(
                () -> {
                    throw new IllegalStateException("a test");
                });
        Await.permit(inLogger);
        Task task = patient.task(counter, PERIOD);
        task.wake();
        Await.permit(counter.entered);
        patient.execute(counter::run);
        Await.permit(counter.entered);
        task.cancel();
        go.release();
    }
}
