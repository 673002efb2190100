package io.polder.background;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Each arrow of the drawing. */
class TaskTest {
    private final Background background = new Background("never started");
    private final Task task = task();

    private Task task() {
        return background.task(() -> false, 1);
    }

    private static void wakeAndSchedule(Task task) {
        assertThat(task.wakeLocked()).isTrue();
        task.scheduleLocked();
    }

    @Test
    void wake_idle_mustBeScheduledByTheNextUntilItIs() {
        assertThat(task.isScheduledLocked()).isFalse();
        assertThat(task.wakeLocked()).isTrue();
        assertThat(task.isScheduledLocked()).isFalse();
        assertThat(task.wakeLocked()).as("the first waker may have been cut short").isTrue();
        task.scheduleLocked();
        assertThat(task.isScheduledLocked()).isTrue();
        assertThat(task.wakeLocked()).isFalse();
    }

    @Test
    void end_nothingLeft_isIdleAgain() {
        wakeAndSchedule(task);
        task.beginLocked();
        assertThat(task.isScheduledLocked()).isFalse();
        assertThat(task.endLocked(false)).isFalse();
        assertThat(task.wakeLocked()).isTrue();
    }

    @Test
    void end_more_mustBeScheduled() {
        wakeAndSchedule(task);
        task.beginLocked();
        assertThat(task.endLocked(true)).isTrue();
        assertThat(task.isScheduledLocked()).isTrue();
        assertThat(task.wakeLocked()).isFalse();
    }

    @Test
    void end_wokenMeanwhile_mustBeScheduled() {
        wakeAndSchedule(task);
        task.beginLocked();
        assertThat(task.wakeLocked()).isFalse();
        assertThat(task.wakeLocked()).isFalse();
        task.scheduleLocked();
        assertThat(task.isScheduledLocked()).isFalse();
        assertThat(task.endLocked(false)).isTrue();
        assertThat(task.isScheduledLocked()).isTrue();
    }

    /** Whatever was cut short, before the step began or after it had ended. */
    @Test
    void end_twiceOrBeforeTheBeginning_mustBeScheduled() {
        assertThat(task.endLocked(true)).isTrue();
        assertThat(task.endLocked(true)).isTrue();
        assertThat(task.isScheduledLocked()).isTrue();
        task.beginLocked();
        assertThat(task.endLocked(false)).isFalse();
        assertThat(task.endLocked(true)).isTrue();
        assertThat(task.isScheduledLocked()).isTrue();
    }

    @Test
    void cancel_inAnyState_isForGood() {
        for (int steps = 0; steps < 4; steps++) {
            Task each = task();
            if (steps > 0) {
                wakeAndSchedule(each);
            }
            if (steps > 1) {
                each.beginLocked();
            }
            if (steps > 2) {
                each.wakeLocked();
            }
            each.cancelLocked();
            assertThat(each.wakeLocked()).isFalse();
            each.scheduleLocked();
            assertThat(each.isScheduledLocked()).isFalse();
            each.beginLocked();
            assertThat(each.endLocked(true)).isFalse();
            assertThat(each.endLocked(false)).isFalse();
            assertThat(each.wakeLocked()).isFalse();
        }
    }
}
