package io.polder.background;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.Await;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Whatever call of the background's is cut short, and the one after it as well: no task is lost,
 * and nobody waits for ever. The clock does the cutting: it is asked in the middle of each change.
 */
@Timeout(300)
class BackgroundCutOffTest {
    private static final long PERIOD = 1;

    /** Longer than a test takes to look at a thread that has nothing to do. */
    private static final long IDLE_NANOS = TimeUnit.MINUTES.toNanos(1);

    /** Calls of the clock in a wake-up, a step and what follows; more than there are. */
    private static final int CALLS = 24;

    /** A clock that cuts off some calls. */
    private static final class Cutting implements Clock {
        private final AtomicInteger left;
        private final int times;
        private final AtomicInteger cut = new AtomicInteger();

        Cutting(int first, int times) {
            this.left = new AtomicInteger(first);
            this.times = times;
        }

        private void cut() {
            int now = left.decrementAndGet();
            if (now < 0 && now >= -times) {
                cut.incrementAndGet();
                throw new StackOverflowError("a test");
            }
        }

        @Override
        public long nanoTime() {
            cut();
            return System.nanoTime();
        }

        @Override
        public void await(Object monitor, long nanos) throws InterruptedException {
            cut();
            Clock.SYSTEM.await(monitor, nanos);
        }
    }

    @Test
    void wake_anyCallCutOff_theNextWakeHasTheStepRun() throws Exception {
        int cuts = 0;
        for (int first = 0; first < CALLS; first++) {
            for (int times = 1; times <= 2; times++) {
                Cutting clock = new Cutting(first, times);
                cuts += wakeAndCancel(clock);
            }
        }
        assertThat(cuts).isGreaterThan(CALLS);
    }

    private static int wakeAndCancel(Cutting clock) throws InterruptedException {
        LogRecorder log = new LogRecorder();
        Background background =
                new Background(
                        "test",
                        Thread.ofPlatform().daemon().factory(),
                        clock,
                        IDLE_NANOS,
                        log,
                        null);
        Semaphore ran = new Semaphore(0);
        Task task =
                background.task(
                        () -> {
                            ran.release();
                            return false;
                        },
                        PERIOD);
        for (int round = 0; round < 4; round++) {
            ran.drainPermits();
            until(task::wake);
            Await.permit(ran);
            Semaphore job = new Semaphore(0);
            until(() -> background.execute(job::release));
            Await.permit(job);
        }
        until(task::cancel);
        until(task::wake);
        ran.drainPermits();
        assertThat(background.thread()).isNotNull();
        BackgroundCheck.verify(background);
        return clock.cut.get();
    }

    /** Does it again if it was cut short. */
    private static void until(Runnable action) {
        while (true) {
            try {
                action.run();
                return;
            } catch (StackOverflowError cutOff) {
                // once more
            }
        }
    }

    @Test
    void run_endOfAStepCutOff_runsOnceMoreAndCancelReturns() throws Exception {
        for (int first = 0; first < CALLS; first++) {
            Cutting clock = new Cutting(first, 2);
            Background background =
                    new Background(
                            "test",
                            Thread.ofPlatform().daemon().factory(),
                            clock,
                            IDLE_NANOS,
                            new LogRecorder(),
                            null);
            Semaphore ran = new Semaphore(0);
            Task task =
                    background.task(
                            () -> {
                                ran.release();
                                return true; // so that the end asks the clock
                            },
                            PERIOD);
            until(task::wake);
            until(task::wake);
            ran.acquire(8);
            until(task::cancel);
            BackgroundCheck.verify(background);
        }
    }
}
