package io.polder.background;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Tasks come out by the time they are due, across the wrap-around of time. */
class TaskQueueTest {
    private final Background background = new Background("never started");
    private final TaskQueue queue = new TaskQueue();

    @Test
    void add_anyOrder_isSortedAndFirstComeFirstServed() {
        long seed = System.nanoTime();
        System.out.println("TaskQueueTest: seed=" + seed);
        SplittableRandom random = new SplittableRandom(seed);
        List<Task> model = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            if (model.isEmpty() || random.nextInt(3) > 0) {
                Task task = task(Long.MAX_VALUE - 50 + random.nextLong(100));
                queue.add(task);
                int at = 0;
                while (at < model.size() && model.get(at).dueNanos - task.dueNanos <= 0) {
                    at++;
                }
                model.add(at, task);
            } else {
                queue.remove(model.remove(random.nextInt(model.size())));
            }
            BackgroundCheck.verify(queue);
            assertThat(drainToList()).as("seed=%d", seed).isEqualTo(model);
        }
        assertThat(model).hasSizeGreaterThan(50);
    }

    private List<Task> drainToList() {
        List<Task> tasks = new ArrayList<>();
        for (Task each = queue.first; each != null; each = each.next) {
            tasks.add(each);
        }
        return tasks;
    }

    @Test
    void remove_notThere_changesNothing() {
        queue.remove(task(1));
        Task first = task(1);
        queue.add(first);
        queue.remove(task(1));
        assertThat(drainToList()).containsExactly(first);
        queue.remove(first);
        queue.remove(first);
        assertThat(queue.first).isNull();
    }

    @Test
    void verify_dueChangedInTheQueue_throws() {
        Task first = task(1);
        queue.add(first);
        queue.add(task(2));
        BackgroundCheck.verify(queue);
        first.dueNanos = 3;
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> BackgroundCheck.verify(queue))
                .withMessage("the queue is sorted: queue=[3, 2]");
    }

    private Task task(long dueNanos) {
        Task task = background.task(() -> false, 1);
        task.dueNanos = dueNanos;
        return task;
    }
}
