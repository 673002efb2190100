package io.polder.background;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.polder.Await;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** When steps and jobs run, and when there is a thread. */
class BackgroundTest extends BackgroundFixture {
    @Test
    void task_neverWoken_needsNoThread() {
        assertThat(background.task(Counter.once(), PERIOD)).isNotNull();
        clock.advance(10 * PERIOD);
        assertThat(background.thread()).isNull();
    }

    @Test
    void wake_idleTask_runsOnceAfterItsPeriod() throws Exception {
        Counter counter = Counter.once();
        background.task(counter, PERIOD).wake();
        advance(PERIOD - 1);
        assertThat(counter.runs()).isZero();
        advance(1);
        assertThat(counter.runs()).isOne();
        advance(PERIOD);
        assertThat(counter.runs()).isOne();
    }

    /** While the clock stands still: it does not wait until it is idle for long. */
    @Test
    void expectNothing_thread_endsAfterWhatIsLeft() throws Exception {
        Counter counter = Counter.once();
        Task task = background.task(counter, PERIOD);
        task.wake();
        settle();
        Thread first = thread();
        background.expectNothing();
        settle();
        assertThat(thread()).as("a task waits").isSameAs(first);
        clock.advance(PERIOD);
        Await.end(first);
        assertThat(counter.runs()).isOne();
        task.wake();
        Thread second = thread();
        clock.advance(PERIOD);
        Await.end(second);
        assertThat(counter.runs()).isEqualTo(2);
    }

    @Test
    void wake_manyTimesBeforeThePeriodIsOver_runsOnce() throws Exception {
        Counter counter = Counter.once();
        Task task = background.task(counter, PERIOD);
        for (int i = 0; i < 10; i++) {
            task.wake();
            advance(PERIOD / 20);
        }
        advance(PERIOD / 2);
        assertThat(counter.runs()).isOne();
        advance(5 * PERIOD);
        assertThat(counter.runs()).isOne();
    }

    @Test
    void run_moreIsLeft_comesBackAfterEachPeriod() throws Exception {
        AtomicInteger left = new AtomicInteger(4);
        Counter counter = new Counter(false, () -> left.decrementAndGet() > 0);
        Task task = background.task(counter, PERIOD);
        task.wake();
        for (int i = 1; i <= 4; i++) {
            advance(PERIOD - 1);
            assertThat(counter.runs()).isEqualTo(i - 1);
            advance(1);
            assertThat(counter.runs()).isEqualTo(i);
        }
        advance(3 * PERIOD);
        assertThat(counter.runs()).isEqualTo(4);
        task.wake();
        advance(PERIOD);
        assertThat(counter.runs()).isEqualTo(5);
    }

    @Test
    void hasten_whileItWaits_comesAfterTheNewPeriod() throws Exception {
        Counter counter = new Counter(false, () -> true);
        Task task = background.task(counter, 100 * PERIOD);
        Task other = background.task(Counter.once(), 50 * PERIOD);
        other.wake();
        task.wake();
        advance(PERIOD);
        task.hasten(PERIOD);
        advance(PERIOD - 1);
        assertThat(counter.runs()).isZero();
        task.hasten(PERIOD); // changes nothing
        advance(1);
        assertThat(counter.runs()).isOne();
        advance(PERIOD);
        assertThat(counter.runs()).isEqualTo(2);
        task.hasten(2 * PERIOD); // likewise
        advance(PERIOD);
        assertThat(counter.runs()).isEqualTo(3);
        task.cancel();
    }

    @Test
    void hasten_asleepOrRunning_wakesNobodyAndCountsFromThenOn() throws Exception {
        Counter asleep = Counter.once();
        Task first = background.task(asleep, 100 * PERIOD);
        first.hasten(PERIOD);
        Counter running = Counter.held();
        Task second = background.task(running, PERIOD);
        second.wake();
        clock.advance(PERIOD);
        Await.permit(running.entered);
        second.hasten(PERIOD / 2);
        second.wake();
        running.gate.release(2);
        settle();
        assertThat(running.runs()).isOne();
        advance(PERIOD / 2);
        assertThat(running.runs()).isEqualTo(2);
        advance(3 * PERIOD);
        assertThat(asleep.runs()).isZero();
        first.wake();
        advance(PERIOD);
        assertThat(asleep.runs()).isOne();
    }

    @Test
    void wake_whileTheStepRuns_runsItOnceMore() throws Exception {
        Counter counter = Counter.held();
        Task task = background.task(counter, PERIOD);
        task.wake();
        clock.advance(PERIOD);
        Await.permit(counter.entered);
        task.wake();
        task.wake();
        counter.gate.release(2);
        settle();
        assertThat(counter.runs()).isOne();
        advance(PERIOD);
        assertThat(counter.runs()).isEqualTo(2);
        advance(5 * PERIOD);
        assertThat(counter.runs()).isEqualTo(2);
    }

    @Test
    void run_severalTasksDue_theEarliestFirst() throws Exception {
        List<String> order = new ArrayList<>(); // of the background thread, then of this one
        background.task(() -> !order.add("third"), 30).wake();
        background.task(() -> !order.add("first"), 10).wake();
        background.task(() -> !order.add("second"), 20).wake();
        background.task(() -> !order.add("second too"), 20).wake();
        advance(100);
        assertThat(order).containsExactly("first", "second", "second too", "third");
    }

    @Test
    void execute_several_runsThemInOrder() throws Exception {
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            int number = i;
            background.execute(() -> order.add(number));
        }
        settle();
        assertThat(order).hasSize(100).isSorted();
    }

    @Test
    void execute_fromAJob_runsAfterIt() throws Exception {
        List<String> order = new ArrayList<>();
        CountDownLatch done = new CountDownLatch(1);
        background.execute(
                () -> {
                    background.execute(
                            () -> {
                                order.add("inner");
                                done.countDown();
                            });
                    order.add("outer");
                });
        Await.open(done);
        assertThat(order).containsExactly("outer", "inner");
    }

    @Test
    void thread_nothingForTheIdleTime_endsAndComesBack() throws Exception {
        Counter counter = Counter.once();
        Task task = background.task(counter, PERIOD);
        for (int i = 1; i <= 3; i++) {
            task.wake();
            Thread thread = thread();
            assertThat(thread.isDaemon()).isTrue();
            advance(PERIOD);
            assertThat(counter.runs()).isEqualTo(i);
            assertThat(background.thread()).isSameAs(thread);
            endThread();
        }
    }

    @Test
    void thread_taskThatIsDueLaterThanTheIdleTime_staysForIt() throws Exception {
        Counter counter = Counter.once();
        background.task(counter, 10 * IDLE).wake();
        Thread thread = thread();
        for (int i = 0; i < 9; i++) {
            advance(IDLE);
        }
        assertThat(counter.runs()).isZero();
        advance(IDLE);
        assertThat(counter.runs()).isOne();
        assertThat(background.thread()).isSameAs(thread);
    }

    @Test
    void thread_byDefault_isADaemonOfTheNameGiven() throws Exception {
        Background real = new Background("test-background");
        CountDownLatch done = new CountDownLatch(1);
        real.execute(done::countDown);
        Thread thread = Objects.requireNonNull(real.thread());
        assertThat(thread.getName()).isEqualTo("test-background");
        assertThat(thread.isDaemon()).isTrue();
        Await.open(done);
    }

    @Test
    void run_realClock_runsTheStep() throws Exception {
        Background real = new Background("test-background");
        CountDownLatch runs = new CountDownLatch(3);
        Task task =
                real.task(
                        () -> {
                            runs.countDown();
                            return runs.getCount() > 0;
                        },
                        1000);
        task.wake();
        Await.open(runs);
        task.cancel();
    }

    @Test
    void task_periodNotPositive_isRefused() {
        for (long period : new long[] {0, -1, Long.MIN_VALUE}) {
            assertThatExceptionOfType(IllegalArgumentException.class)
                    .isThrownBy(() -> background.task(Counter.once(), period))
                    .withMessage("a period must be positive: periodNanos=" + period);
        }
    }
}
