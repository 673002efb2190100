package io.polder.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.concurrent.FutureTask;

/** A gate whose changes are cut off is closed, and can be closed or reopened again. */
@Timeout(300)
class ClosedStateCutOffTest {
    private final Halfway protocol = new Halfway();
    private final ClosedState closedState = new ClosedState(protocol);

    /** Two readers, who are told one after the other; what follows the first may be cut off. */
    private static final class Halfway implements Protocol {
        private boolean cutsOff;
        private boolean first;
        private boolean second;

        private void set(boolean marked) {
            first = marked;
            if (cutsOff) {
                throw new StackOverflowError("a test");
            }
            second = marked;
        }

        @Override
        public void mark() {
            set(true);
        }

        @Override
        public void unmark() {
            set(false);
        }

        @Override
        public void synchronize() {
            if (cutsOff) {
                throw new StackOverflowError("a test");
            }
        }

        @Override
        public String fence() {
            return "none";
        }

        @Override
        public long virtualInside() {
            return 0;
        }
    }

    private void verify() {
        GateCheck.verify(closedState);
        if (closedState.marked == closedState.closed) {
            assertThat(protocol.first).isEqualTo(closedState.closed);
            assertThat(protocol.second).isEqualTo(closedState.closed);
        }
    }

    private void cutOff(Runnable change) {
        protocol.cutsOff = true;
        assertThatExceptionOfType(StackOverflowError.class).isThrownBy(change::run);
        protocol.cutsOff = false;
        verify();
    }

    /** Threads that were told wait for the gate, and do not come back at once to find it open. */
    @Test
    void close_cutOffWhileMarking_isClosedAndCanBeClosedAgain() {
        cutOff(closedState::close);
        assertThat(closedState.isClosed()).isTrue();
        assertThatIllegalStateException().isThrownBy(closedState::reopen);
        try (ScriptedThread waiter = ScriptedThread.platform()) {
            FutureTask<Boolean> open = waiter.beginBlocking(closedState::awaitOpen);
            closedState.close();
            assertThat(protocol.second).isTrue();
            verify();
            closedState.reopen();
            ScriptedThread.get(open);
        }
        verify();
    }

    @Test
    void reopen_cutOffWhileUnmarking_isClosedAndCanBeReopenedOrClosedAgain() {
        closedState.close();
        cutOff(closedState::reopen);
        assertThat(closedState.isClosed()).isTrue();
        closedState.reopen();
        assertThat(closedState.isClosed()).isFalse();
        verify();
        closedState.close();
        cutOff(closedState::reopen);
        closedState.close();
        assertThat(protocol.first).as("marked again").isTrue();
        closedState.reopen();
        verify();
    }
}
