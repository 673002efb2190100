package io.polder.background;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Tasks come out by the time they are due, across the wrap-around of time. */
class BackgroundQueueTest {
    private long now;
    private final Background background =
            new Background(
                    "test",
                    Thread::new,
                    new Clock() {
                        @Override
                        public long nanoTime() {
                            return now;
                        }

                        @Override
                        public void await(Object monitor, long nanos) {
                            throw new AssertionError("no thread is started");
                        }
                    },
                    1,
                    System.getLogger("none"),
                    null);

    @Test
    void addLocked_anyOrder_isSortedAndFirstComeFirstServed() {
        long seed = System.nanoTime();
        System.out.println("BackgroundQueueTest: seed=" + seed);
        SplittableRandom random = new SplittableRandom(seed);
        List<Task> model = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            if (model.isEmpty() || random.nextInt(3) > 0) {
                Task task = add(Long.MAX_VALUE - 50 + random.nextLong(100));
                background.addLocked(task);
                int at = 0;
                while (at < model.size() && model.get(at).dueNanos - task.dueNanos <= 0) {
                    at++;
                }
                model.add(at, task);
            } else {
                background.queue.remove(model.remove(random.nextInt(model.size())));
            }
            BackgroundCheck.verify(background);
            assertThat(background.queue).as("seed=%d", seed).isEqualTo(model);
        }
        assertThat(model).hasSizeGreaterThan(50);
    }

    @Test
    void verify_dueChangedInTheQueue_throws() {
        Task first = add(1);
        add(2);
        BackgroundCheck.verify(background);
        first.dueNanos = 3;
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> BackgroundCheck.verify(background))
                .withMessage("the queue is sorted: queue=[3, 2]");
    }

    @Test
    void verify_twiceInTheQueue_throws() {
        background.queue.add(add(1));
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> BackgroundCheck.verify(background))
                .withMessage("no task is in the queue twice: queue=[1, 1]");
    }

    private Task add(long dueNanos) {
        Task task = background.task(() -> false, 1);
        now = dueNanos - 1;
        background.addLocked(task);
        return task;
    }
}
