package io.polder.background;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.Await;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Many wake-ups against steps that say "nothing left", threads that end and tasks that are
 * cancelled. A wake-up that is lost leaves work behind for good, and the test waits until its
 * time-out.
 */
@Timeout(300)
class BackgroundRaceTest {
    private static final int THREADS = 4;
    private static final int ROUNDS = 20_000;
    private static final long SHORT_NANOS = 1;

    private final LogRecorder log = new LogRecorder();
    private final AtomicInteger started = new AtomicInteger();

    /** Ends as soon as there is nothing to do. */
    private final Background background =
            new Background(
                    "test",
                    work -> {
                        started.incrementAndGet();
                        return Thread.ofPlatform().daemon().unstarted(work);
                    },
                    Clock.SYSTEM,
                    SHORT_NANOS,
                    log,
                    null);

    private interface Racer {
        void run(int round) throws Exception;
    }

    private static void race(Racer racer) throws Exception {
        CyclicBarrier start = new CyclicBarrier(THREADS);
        List<Throwable> failures = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            threads.add(
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        try {
                                            Await.all(start);
                                            for (int round = 0; round < ROUNDS; round++) {
                                                racer.run(round);
                                            }
                                        } catch (Throwable failure) {
                                            synchronized (failures) {
                                                failures.add(failure);
                                            }
                                        }
                                    }));
        }
        for (Thread thread : threads) {
            Await.end(thread);
        }
        assertThat(failures).isEmpty();
    }

    @Test
    void wake_againstTheEndOfStepsAndThreads_losesNoWork() throws Exception {
        AtomicLong waiting = new AtomicLong();
        AtomicLong done = new AtomicLong();
        AtomicLong steps = new AtomicLong();
        CountDownLatch all = new CountDownLatch(1);
        long total = (long) THREADS * ROUNDS;
        Task task =
                background.task(
                        () -> {
                            steps.incrementAndGet();
                            if (done.addAndGet(waiting.getAndSet(0)) == total) {
                                all.countDown();
                            }
                            return false; // whatever came in meanwhile
                        },
                        SHORT_NANOS);
        race(
                round -> {
                    waiting.incrementAndGet();
                    task.wake();
                    if (round % 64 == 0) {
                        Thread.onSpinWait();
                    }
                });
        Await.open(all);
        BackgroundCheck.verify(background);
        assertThat(done).hasValue(total);
        assertThat(steps.get()).isBetween(1L, total);
        assertThat(log.entries()).isEmpty();
    }

    /** What a waker wrote under a lock, without anything volatile, a step sees under that lock. */
    @Test
    void wake_workGuardedByALock_losesNoWork() throws Exception {
        Object lock = new Object();
        long[] waitingAndDone = new long[2];
        CountDownLatch all = new CountDownLatch(1);
        long total = (long) THREADS * ROUNDS;
        Task task =
                background.task(
                        () -> {
                            synchronized (lock) {
                                waitingAndDone[1] += waitingAndDone[0];
                                waitingAndDone[0] = 0;
                                if (waitingAndDone[1] == total) {
                                    all.countDown();
                                }
                            }
                            return false;
                        },
                        SHORT_NANOS);
        race(
                round -> {
                    synchronized (lock) {
                        waitingAndDone[0]++;
                    }
                    task.wake();
                });
        Await.open(all);
        BackgroundCheck.verify(background);
    }

    @Test
    void execute_againstTheEndOfTheThread_runsEveryJobOnce() throws Exception {
        int perRace = THREADS * ROUNDS;
        AtomicInteger runs = new AtomicInteger();
        int total = 0;
        do { // again if the thread did not end meanwhile, since the others had no turn
            CountDownLatch all = new CountDownLatch(perRace);
            race(
                    round -> {
                        background.execute(
                                () -> {
                                    runs.incrementAndGet();
                                    all.countDown();
                                });
                        if (round % 64 == 0) {
                            Thread.sleep(0, 1000); // the thread ends meanwhile, now and then
                        }
                    });
            Await.open(all);
            total += perRace;
            assertThat(runs).hasValue(total);
        } while (started.get() == 1);
    }

    @Test
    void cancel_againstWakeAndStep_isTheEnd() throws Exception {
        AtomicInteger steps = new AtomicInteger();
        race(
                round -> {
                    if (round % 8 != 0) {
                        return;
                    }
                    int[] runs = new int[1]; // plain: cancel must order it
                    Task task =
                            background.task(
                                    () -> {
                                        runs[0]++;
                                        steps.incrementAndGet();
                                        return true;
                                    },
                                    SHORT_NANOS);
                    task.wake();
                    for (int i = round % 32; i > 0; i--) {
                        task.wake();
                        Thread.onSpinWait();
                    }
                    int seen = steps.get();
                    while (round % 64 == 0 && steps.get() == seen) {
                        Thread.onSpinWait(); // now and then it has run
                    }
                    int stepsSoFar = steps.get();
                    while (round % 256 == 0 && steps.get() == stepsSoFar) {
                        Thread.onSpinWait(); // now and then, cancel meets a task that runs
                    }
                    task.cancel();
                    int before = runs[0];
                    task.wake();
                    Thread.onSpinWait();
                    assertThat(runs[0]).isEqualTo(before);
                });
        BackgroundCheck.verify(background);
        assertThat(steps.get()).isPositive();
        assertThat(log.entries()).isEmpty();
    }
}
