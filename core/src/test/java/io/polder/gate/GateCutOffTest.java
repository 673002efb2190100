package io.polder.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.polder.memory.ProcessFence;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A gate whose changes are cut short is closed, and can be closed or reopened again. */
@Timeout(300)
class GateCutOffTest {
    /** The calls in a close, and in a reopen, which closes first. */
    private static final int MARK = 0;

    private static final int WAIT = 1;
    private static final int UNMARK = 2;

    private final Halfway protocol = new Halfway();
    private final Gate gate = new Gate(protocol);

    /** Two readers, who are told one after the other; what follows the first may be cut short. */
    private static final class Halfway extends GracePeriods {
        /** So many calls are whole before one is cut short; none is if it is negative. */
        private int whole = -1;

        private boolean first;
        private boolean second;

        Halfway() {
            this(new Stripes(1, new ReaderWait()));
        }

        private Halfway(Stripes stripes) {
            super(new ReaderRegistry(stripes), stripes, ProcessFence.ofThisProcess());
        }

        private void set(boolean marked) {
            first = marked;
            cutOffIfDue();
            second = marked;
        }

        private void cutOffIfDue() {
            if (whole-- == 0) {
                throw new StackOverflowError("a test");
            }
        }

        @Override
        void mark() {
            set(true);
        }

        @Override
        void unmark() {
            set(false);
        }

        @Override
        void synchronize() {
            cutOffIfDue();
        }
    }

    private void verify() {
        assertThat(protocol.first).isEqualTo(gate.closed);
        assertThat(protocol.second).isEqualTo(gate.closed);
    }

    private void cutOff(Runnable change, int whole) {
        protocol.whole = whole;
        assertThatExceptionOfType(StackOverflowError.class).isThrownBy(change::run);
        assertThat(gate.isClosed()).isTrue();
    }

    @Test
    void close_cutOffWhileMarking_isClosedAndCanBeClosedAgain() {
        cutOff(gate::close, MARK);
        gate.close();
        assertThat(protocol.second).isTrue();
        verify();
        gate.reopen();
        verify();
        cutOff(gate::close, MARK);
        gate.reopen();
        assertThat(gate.isClosed()).isFalse();
        verify();
    }

    @Test
    void reopen_cutOffBeforeItUnmarks_isClosedForAll() {
        gate.close();
        cutOff(gate::reopen, MARK);
        assertThat(protocol.first).isTrue();
        cutOff(gate::reopen, WAIT);
        verify();
        gate.reopen();
        assertThat(gate.isClosed()).isFalse();
        verify();
    }

    @Test
    void reopen_cutOffWhileUnmarking_isClosedAndCanBeReopenedOrClosedAgain() {
        gate.close();
        cutOff(gate::reopen, UNMARK);
        gate.reopen();
        assertThat(gate.isClosed()).isFalse();
        verify();
        cutOff(gate::reopen, UNMARK);
        gate.close();
        assertThat(protocol.first).as("marked again").isTrue();
        verify();
        gate.reopen();
        verify();
    }
}
