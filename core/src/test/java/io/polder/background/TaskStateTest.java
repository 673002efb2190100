package io.polder.background;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Each arrow of the drawing. */
class TaskStateTest {
    private final TaskState state = new TaskState();

    @Test
    void wake_idle_mustBeScheduledOnce() {
        assertThat(state.isScheduled()).isFalse();
        assertThat(state.wake()).isTrue();
        assertThat(state.isScheduled()).isTrue();
        assertThat(state.wake()).isFalse();
    }

    @Test
    void end_nothingLeft_isIdleAgain() {
        state.wake();
        state.begin();
        assertThat(state.isScheduled()).isFalse();
        assertThat(state.end(false)).isFalse();
        assertThat(state.wake()).isTrue();
    }

    @Test
    void end_more_mustBeScheduled() {
        state.wake();
        state.begin();
        assertThat(state.end(true)).isTrue();
        assertThat(state.isScheduled()).isTrue();
        assertThat(state.wake()).isFalse();
    }

    @Test
    void end_wokenMeanwhile_mustBeScheduled() {
        state.wake();
        state.begin();
        assertThat(state.wake()).isFalse();
        assertThat(state.wake()).isFalse();
        assertThat(state.end(false)).isTrue();
        assertThat(state.isScheduled()).isTrue();
    }

    @Test
    void cancel_inAnyState_isForGood() {
        for (int steps = 0; steps < 4; steps++) {
            TaskState each = new TaskState();
            if (steps > 0) {
                each.wake();
            }
            if (steps > 1) {
                each.begin();
            }
            if (steps > 2) {
                each.wake();
            }
            each.cancel();
            assertThat(each.wake()).isFalse();
            assertThat(each.isScheduled()).isFalse();
            each.unschedule();
            assertThat(each.end(true)).isFalse();
            assertThat(each.end(false)).isFalse();
            assertThat(each.wake()).isFalse();
        }
    }

    @Test
    void unschedule_scheduled_isIdleAgain() {
        state.wake();
        state.unschedule();
        assertThat(state.isScheduled()).isFalse();
        assertThat(state.wake()).isTrue();
    }
}
