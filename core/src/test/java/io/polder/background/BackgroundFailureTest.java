package io.polder.background;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** What is thrown, interrupted or cannot be started harms nobody else. */
class BackgroundFailureTest extends BackgroundFixture {
    @Test
    void run_stepThrows_isLoggedAndTheStepAndOthersRunAgain() throws Exception {
        Counter other = new Counter(false, () -> true);
        Task otherTask = background.task(other, PERIOD);
        otherTask.wake();
        AtomicInteger failures = new AtomicInteger();
        Task failing =
                background.task(
                        () -> {
                            failures.incrementAndGet();
                            throw new StackOverflowError("a test");
                        },
                        PERIOD);
        failing.wake();
        Thread thread = thread();
        for (int i = 1; i <= 9; i++) {
            advance(PERIOD);
            assertThat(failures).hasValue(i);
            assertThat(other.runs()).isEqualTo(i);
        }
        assertThat(background.thread()).isSameAs(thread);
        assertThat(log.entries())
                .extracting(LogRecorder.Entry::message)
                .containsExactly(
                        "a background task failed: failuresInARow=1",
                        "a background task failed: failuresInARow=2",
                        "a background task failed: failuresInARow=4",
                        "a background task failed: failuresInARow=8");
        assertThat(log.entries())
                .allSatisfy(
                        each -> {
                            assertThat(each.level()).isEqualTo(System.Logger.Level.WARNING);
                            assertThat(each.thrown()).isInstanceOf(StackOverflowError.class);
                        });
        failing.cancel();
        otherTask.cancel();
    }

    @Test
    void run_stepThrowsAndThenSucceeds_isLoggedAgainTheNextTime() throws Exception {
        AtomicInteger number = new AtomicInteger();
        Task task =
                background.task(
                        () -> {
                            if (number.incrementAndGet() != 2) {
                                throw new IllegalStateException("a test");
                            }
                            return true;
                        },
                        PERIOD);
        task.wake();
        for (int i = 0; i < 3; i++) {
            advance(PERIOD);
        }
        assertThat(log.entries())
                .extracting(LogRecorder.Entry::message)
                .containsExactly(
                        "a background task failed: failuresInARow=1",
                        "a background task failed: failuresInARow=1");
        task.cancel();
    }

    /** A class loader may be closed, and then no class comes from it any more. */
    @Test
    void step_missesAClassTwice_runsWhenItIsWokenAndNotBefore() throws Exception {
        AtomicInteger number = new AtomicInteger();
        Task task =
                background.task(
                        () -> {
                            number.incrementAndGet();
                            throw new NoClassDefFoundError("a test");
                        },
                        PERIOD);
        task.wake();
        for (int i = 0; i < 9; i++) {
            advance(PERIOD);
        }
        assertThat(number).hasValue(2);
        assertThat(task.isAsleep()).isTrue();
        task.wake();
        advance(PERIOD);
        advance(PERIOD);
        assertThat(number).hasValue(3);
        assertThat(log.entries())
                .extracting(LogRecorder.Entry::message)
                .containsExactly(
                        "a background task failed: failuresInARow=1",
                        "a background task failed: failuresInARow=2");
    }

    @Test
    void step_findsTheHeapFullOnce_isNotLogged() throws Exception {
        AtomicInteger number = new AtomicInteger();
        Task task =
                background.task(
                        () -> {
                            if (number.incrementAndGet() != 2) {
                                throw new OutOfMemoryError("a test");
                            }
                            return true;
                        },
                        PERIOD);
        task.wake();
        for (int i = 0; i < 4; i++) {
            advance(PERIOD);
        }
        assertThat(number).hasValue(4);
        assertThat(log.entries())
                .extracting(LogRecorder.Entry::message)
                .containsExactly("a background task failed: failuresInARow=2");
        task.cancel();
    }

    @Test
    void execute_jobThrows_isLoggedAndOthersRun() throws Exception {
        background.execute(
                () -> {
                    throw new OutOfMemoryError("a test");
                });
        Thread thread = thread();
        settle();
        assertThat(background.thread()).isSameAs(thread);
        assertThat(log.entries())
                .singleElement()
                .satisfies(
                        each -> {
                            assertThat(each.message())
                                    .startsWith("a background job failed: job=io.polder.");
                            assertThat(each.thrown()).isInstanceOf(OutOfMemoryError.class);
                        });
    }

    @Test
    void log_fails_doesNotEndTheThread() throws Exception {
        log.failFromNowOn();
        background.execute(
                () -> {
                    throw new IllegalStateException("a test");
                });
        Thread thread = thread();
        settle();
        assertThat(background.thread()).isSameAs(thread);
        assertThat(log.entries()).hasSize(1);
    }

    @Test
    void interrupt_ofTheThread_changesNothing() throws Exception {
        Counter counter = Counter.once();
        background.task(counter, PERIOD).wake();
        Thread thread = thread();
        thread.interrupt();
        settle();
        assertThat(counter.runs()).isZero();
        AtomicBoolean seen = new AtomicBoolean();
        background.execute(() -> Thread.currentThread().interrupt());
        background.execute(() -> seen.set(Thread.currentThread().isInterrupted()));
        advance(PERIOD);
        assertThat(seen).isFalse();
        assertThat(counter.runs()).isOne();
        assertThat(background.thread()).isSameAs(thread);
    }
}
