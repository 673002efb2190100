package io.polder.background;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.Await;

import org.junit.jupiter.api.Test;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** A task that was cancelled is over, whatever it was doing. */
class BackgroundCancelTest extends BackgroundFixture {
    @Test
    void cancel_scheduled_neverRuns() throws Exception {
        Counter counter = Counter.once();
        Task task = background.task(counter, PERIOD);
        task.wake();
        task.cancel();
        advance(5 * PERIOD);
        assertThat(counter.runs()).isZero();
    }

    @Test
    void cancel_neverWoken_neverRunsAndNeedsNoThread() {
        Counter counter = Counter.once();
        Task task = background.task(counter, PERIOD);
        task.cancel();
        task.wake();
        task.cancel();
        assertThat(background.thread()).isNull();
    }

    @Test
    void cancel_oneOfSeveral_leavesTheOthers() throws Exception {
        Counter[] counters = {Counter.once(), Counter.once(), Counter.once()};
        Task[] tasks = new Task[counters.length];
        for (int i = 0; i < tasks.length; i++) {
            tasks[i] = background.task(counters[i], PERIOD + i);
            tasks[i].wake();
        }
        tasks[1].cancel();
        advance(2 * PERIOD);
        assertThat(counters[0].runs()).isOne();
        assertThat(counters[1].runs()).isZero();
        assertThat(counters[2].runs()).isOne();
    }

    @Test
    void cancel_whileTheStepRuns_returnsWhenItHasEnded() throws Exception {
        Counter counter = new Counter(true, () -> true);
        Task task = background.task(counter, PERIOD);
        task.wake();
        clock.advance(PERIOD);
        Await.permit(counter.entered);
        AtomicInteger endedAtReturn = new AtomicInteger(-1);
        Thread canceller =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    task.cancel();
                                    endedAtReturn.set(counter.ended());
                                });
        awaitWaiting(canceller);
        assertThat(endedAtReturn).hasValue(-1);
        task.wake();
        counter.gate.release(2);
        Await.end(canceller);
        assertThat(endedAtReturn).hasValue(1);
        task.wake();
        advance(5 * PERIOD);
        assertThat(counter.runs()).isOne();
    }

    @Test
    void cancel_interruptedWhileWaiting_goesOnWaitingAndKeepsTheInterrupt() throws Exception {
        Counter counter = Counter.held();
        Task task = background.task(counter, PERIOD);
        task.wake();
        clock.advance(PERIOD);
        Await.permit(counter.entered);
        AtomicReference<String> result = new AtomicReference<>("");
        Thread canceller =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    task.cancel();
                                    result.set(
                                            counter.ended()
                                                    + ", "
                                                    + Thread.currentThread().isInterrupted());
                                });
        awaitWaiting(canceller);
        canceller.interrupt();
        counter.gate.release();
        Await.end(canceller);
        assertThat(result).hasValue("1, true");
    }

    private static void awaitWaiting(Thread thread) {
        while (thread.getState() != Thread.State.TIMED_WAITING) {
            assertThat(thread.isAlive()).isTrue();
            Thread.onSpinWait();
        }
    }

    @Test
    void cancel_fromTheStepItself_returnsAndTheStepIsTheLast() throws Exception {
        AtomicReference<Task> self = new AtomicReference<>();
        Counter counter =
                new Counter(
                        false,
                        () -> {
                            self.get().cancel();
                            return true;
                        });
        self.set(background.task(counter, PERIOD));
        self.get().wake();
        advance(PERIOD);
        assertThat(counter.ended()).isOne();
        advance(5 * PERIOD);
        self.get().wake();
        advance(5 * PERIOD);
        assertThat(counter.ended()).isOne();
    }

    @Test
    void cancel_fromAJobOrAnotherStep_doesNotWait() throws Exception {
        Counter victim = Counter.once();
        Task task = background.task(victim, 2 * PERIOD);
        task.wake();
        CountDownLatch done = new CountDownLatch(2);
        background
                .task(
                        () -> {
                            task.cancel();
                            done.countDown();
                            return false;
                        },
                        PERIOD)
                .wake();
        background.execute(
                () -> {
                    Task other = background.task(victim, PERIOD);
                    other.wake();
                    other.cancel();
                    done.countDown();
                });
        advance(PERIOD);
        Await.open(done);
        advance(5 * PERIOD);
        assertThat(victim.runs()).isZero();
    }
}
