package io.polder.background;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Each arrow of the drawing. */
class TaskStateTest {
    private final TaskState state = new TaskState();

    private static void wakeAndSchedule(TaskState state) {
        assertThat(state.wake()).isTrue();
        state.schedule();
    }

    @Test
    void wake_idle_mustBeScheduledByWhoeverComesUntilItIs() {
        assertThat(state.isScheduled()).isFalse();
        assertThat(state.wake()).isTrue();
        assertThat(state.isScheduled()).isFalse();
        assertThat(state.wake()).as("the first waker may have been cut off").isTrue();
        state.schedule();
        assertThat(state.isScheduled()).isTrue();
        assertThat(state.wake()).isFalse();
    }

    @Test
    void end_nothingLeft_isIdleAgain() {
        wakeAndSchedule(state);
        state.begin();
        assertThat(state.isScheduled()).isFalse();
        assertThat(state.end(false)).isFalse();
        assertThat(state.wake()).isTrue();
    }

    @Test
    void end_more_mustBeScheduled() {
        wakeAndSchedule(state);
        state.begin();
        assertThat(state.end(true)).isTrue();
        assertThat(state.isScheduled()).isTrue();
        assertThat(state.wake()).isFalse();
    }

    @Test
    void end_wokenMeanwhile_mustBeScheduled() {
        wakeAndSchedule(state);
        state.begin();
        assertThat(state.wake()).isFalse();
        assertThat(state.wake()).isFalse();
        state.schedule();
        assertThat(state.isScheduled()).isFalse();
        assertThat(state.end(false)).isTrue();
        assertThat(state.isScheduled()).isTrue();
    }

    /** Whatever was cut off, before the step began or after it had ended. */
    @Test
    void end_twiceOrBeforeTheBeginning_mustBeScheduled() {
        assertThat(state.end(true)).isTrue();
        assertThat(state.end(true)).isTrue();
        assertThat(state.isScheduled()).isTrue();
        state.begin();
        assertThat(state.end(false)).isFalse();
        assertThat(state.end(true)).isTrue();
        assertThat(state.isScheduled()).isTrue();
    }

    @Test
    void cancel_inAnyState_isForGood() {
        for (int steps = 0; steps < 4; steps++) {
            TaskState each = new TaskState();
            if (steps > 0) {
                wakeAndSchedule(each);
            }
            if (steps > 1) {
                each.begin();
            }
            if (steps > 2) {
                each.wake();
            }
            each.cancel();
            assertThat(each.isCancelled()).isTrue();
            assertThat(each.wake()).isFalse();
            each.schedule();
            assertThat(each.isScheduled()).isFalse();
            each.begin();
            assertThat(each.end(true)).isFalse();
            assertThat(each.end(false)).isFalse();
            assertThat(each.wake()).isFalse();
            assertThat(each.isCancelled()).isTrue();
        }
    }
}
