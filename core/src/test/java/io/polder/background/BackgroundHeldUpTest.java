package io.polder.background;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.Await;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** Steps that are held up: others are run by another thread, and nothing is lost. */
class BackgroundHeldUpTest extends BackgroundFixture {
    /** A task whose step has begun, and stays where it is. */
    private Task entered(Counter counter) throws InterruptedException {
        Task task = background.task(counter, PERIOD);
        task.wake();
        clock.advance(PERIOD);
        Await.permit(counter.entered);
        return task;
    }

    private void runs(Task task, Counter counter) throws InterruptedException {
        task.wake();
        while (!counter.entered.tryAcquire(1, TimeUnit.MILLISECONDS)) { // or it runs once more
            clock.advance(PERIOD);
        }
    }

    @Test
    void heldUp_othersAreDue_anotherThreadRunsThem() throws Exception {
        Counter held = Counter.held();
        Task task = entered(held);
        clock.advance(Background.PATIENCE_NANOS);
        Counter counter = Counter.once();
        Task other = background.task(counter, PERIOD);
        other.wake();
        task.heldUp();
        assertThat(started).as("nothing is due").hasSize(1);
        clock.advance(PERIOD);
        other.heldUp();
        assertThat(started).as("the other is not running").hasSize(1);
        task.heldUp();
        Await.permit(counter.entered);
        assertThat(started).hasSize(2);
        assertThat(thread()).isSameAs(started.get(1));
        BackgroundCheck.verify(background);
        runs(other, counter);
        settle();
        task.heldUp();
        assertThat(started).as("runs beside them already").hasSize(2);
        held.gate.release();
        Await.end(started.get(0));
        held.gate.release();
        runs(task, held);
        runs(other, counter);
        settle();
        assertThat(thread()).isIn(started).isNotSameAs(started.get(0)); // it may have been idle
        assertThat(held.runs()).isEqualTo(2);
    }

    @Test
    void heldUp_notForLong_needsNoThread() throws Exception {
        Counter held = Counter.held();
        Task task = entered(held);
        Counter counter = Counter.once();
        background.task(counter, PERIOD).wake();
        clock.advance(Background.PATIENCE_NANOS - 1);
        task.heldUp();
        assertThat(started).hasSize(1);
        held.gate.release();
        Await.permit(counter.entered);
        assertThat(thread()).isSameAs(started.get(0));
    }

    @Test
    void heldUp_asleepOrScheduled_needsNoThread() throws Exception {
        Counter counter = Counter.once();
        Task task = background.task(counter, PERIOD);
        task.heldUp();
        assertThat(started).isEmpty();
        task.wake();
        task.heldUp();
        runs(task, counter);
        settle();
        clock.advance(Background.PATIENCE_NANOS);
        task.heldUp();
        assertThat(started).hasSize(1);
    }

    @Test
    void heldUp_many_haveOneThreadEach() throws Exception {
        Counter counter = Counter.once();
        Task other = background.task(counter, PERIOD);
        List<Counter> held = new ArrayList<>();
        for (int i = 1; i <= 5; i++) {
            Counter each = new Counter(true, () -> false);
            held.add(each);
            Task task = entered(each);
            other.wake();
            clock.advance(Background.PATIENCE_NANOS);
            task.heldUp();
            task.heldUp();
            Await.permit(counter.entered);
            assertThat(started).hasSize(i + 1);
        }
        for (int i : new int[] {3, 0, 4, 1, 2}) {
            held.get(i).gate.release();
            Await.end(started.get(i));
            runs(other, counter);
        }
        assertThat(thread()).isSameAs(started.get(5));
    }

    /** The thread that was held up goes on with what there is. */
    @Test
    void heldUp_otherThreadHasEndedMeanwhile_theFirstServesAgain() throws Exception {
        AtomicBoolean more = new AtomicBoolean(true);
        Counter held = new Counter(true, () -> more.getAndSet(false));
        Task task = entered(held);
        Counter counter = Counter.once();
        Task other = background.task(counter, PERIOD);
        other.wake();
        clock.advance(Background.PATIENCE_NANOS);
        task.heldUp();
        Await.permit(counter.entered);
        Thread second = started.get(1);
        while (second.isAlive()) {
            clock.advance(IDLE);
            second.join(1);
        }
        assertThat(background.thread()).isNull();
        held.gate.release(2);
        while (!held.entered.tryAcquire(1, TimeUnit.MILLISECONDS)) { // due when the step has ended
            clock.advance(PERIOD);
        }
        assertThat(thread()).isSameAs(started.get(0));
        runs(other, counter);
        settle();
        assertThat(started).hasSize(2);
    }

    /** The same, where a third thread was started before. */
    @Test
    void heldUp_otherThreadHasEndedAndIsReplaced_oneThreadIsLeft() throws Exception {
        Counter held = Counter.held();
        Task task = entered(held);
        Counter counter = Counter.once();
        Task other = background.task(counter, PERIOD);
        other.wake();
        clock.advance(Background.PATIENCE_NANOS);
        task.heldUp();
        Await.permit(counter.entered);
        Thread second = started.get(1);
        while (second.isAlive()) {
            clock.advance(IDLE);
            second.join(1);
        }
        runs(other, counter);
        assertThat(thread()).isSameAs(started.get(2));
        held.gate.release();
        Await.end(started.get(0));
        settle();
        assertThat(thread()).isSameAs(started.get(2));
    }

    @Test
    void heldUp_noThreadCanBeStarted_othersWaitAndAreNotLost() throws Exception {
        AtomicBoolean refuses = new AtomicBoolean();
        AtomicInteger tries = new AtomicInteger();
        Background starved =
                new Background(
                        "test",
                        work -> {
                            tries.incrementAndGet();
                            if (refuses.get()) {
                                throw new OutOfMemoryError("unable to create: a test");
                            }
                            return Thread.ofPlatform().daemon().unstarted(work);
                        },
                        clock,
                        IDLE,
                        log,
                        null);
        Counter held = Counter.held();
        Task task = starved.task(held, PERIOD);
        runs(task, held);
        Thread first = starved.thread();
        Counter counter = Counter.once();
        Task other = starved.task(counter, PERIOD);
        other.wake();
        refuses.set(true);
        clock.advance(Background.PATIENCE_NANOS);
        task.heldUp();
        task.heldUp();
        assertThat(tries).as("not at once again").hasValue(2);
        assertThat(starved.thread()).isSameAs(first);
        held.gate.release();
        Await.permit(counter.entered);
        runs(task, held);
        other.wake();
        refuses.set(false);
        clock.advance(Background.PATIENCE_NANOS);
        task.heldUp();
        Await.permit(counter.entered);
        assertThat(starved.thread()).isNotSameAs(first);
        held.gate.release();
        task.cancel();
        other.cancel();
        BackgroundCheck.verify(starved);
        assertThat(log.entries()).as("told once").hasSize(1);
    }

    @Test
    void heldUp_stepThrowsInTheEnd_isToldAndRunsAgain() throws Exception {
        AtomicBoolean fails = new AtomicBoolean(true);
        Counter held =
                new Counter(
                        true,
                        () -> {
                            if (fails.getAndSet(false)) {
                                throw new IllegalStateException("a test");
                            }
                            return false;
                        });
        Task task = entered(held);
        Counter counter = Counter.once();
        background.task(counter, PERIOD).wake();
        clock.advance(Background.PATIENCE_NANOS);
        task.heldUp();
        Await.permit(counter.entered);
        held.gate.release(2);
        Await.end(started.get(0));
        clock.advance(PERIOD);
        Await.permit(held.entered);
        settle();
        assertThat(log.entries()).hasSize(1);
        assertThat(held.ended()).isOne();
    }

    @Test
    void cancel_heldUp_returnsWhenTheStepHasEnded() throws Exception {
        Counter held = new Counter(true, () -> true);
        Task task = entered(held);
        Counter counter = Counter.once();
        Task other = background.task(counter, PERIOD);
        other.wake();
        clock.advance(Background.PATIENCE_NANOS);
        task.heldUp();
        Await.permit(counter.entered);
        AtomicInteger endedAtReturn = new AtomicInteger(-1);
        Thread canceller =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    task.cancel();
                                    endedAtReturn.set(held.ended());
                                });
        Await.until(() -> canceller.getState() == Thread.State.TIMED_WAITING);
        runs(other, counter);
        assertThat(endedAtReturn).hasValue(-1);
        held.gate.release();
        Await.end(canceller);
        assertThat(endedAtReturn).hasValue(1);
        task.wake();
        advance(5 * PERIOD);
        assertThat(held.runs()).isOne();
    }
}
