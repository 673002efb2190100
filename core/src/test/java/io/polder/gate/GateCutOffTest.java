package io.polder.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A gate whose changes are cut short is closed, and can be closed or reopened again. */
@Timeout(300)
class GateCutOffTest {
    private final Halfway protocol = new Halfway();
    private final Gate gate = new Gate(protocol);

    /** Two readers, who are told one after the other; what follows the first may be cut short. */
    private static final class Halfway extends GracePeriods {
        private boolean cutsOff;
        private boolean first;
        private boolean second;

        Halfway() {
            this(new Slots(), new ReaderWait());
        }

        private Halfway(Slots slots, ReaderWait readerWait) {
            this(slots, readerWait, new Stripes(1, readerWait));
        }

        private Halfway(Slots slots, ReaderWait readerWait, Stripes stripes) {
            super(
                    slots,
                    new ReaderRegistry(slots, readerWait, stripes, 0),
                    stripes,
                    readerWait,
                    GateFence.full());
        }

        private void set(boolean marked) {
            first = marked;
            if (cutsOff) {
                throw new StackOverflowError("a test");
            }
            second = marked;
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
            if (cutsOff) {
                throw new StackOverflowError("a test");
            }
        }
    }

    private void verify() {
        if (gate.marked == gate.closed) {
            assertThat(protocol.first).isEqualTo(gate.closed);
            assertThat(protocol.second).isEqualTo(gate.closed);
        }
    }

    private void cutOff(Runnable change) {
        protocol.cutsOff = true;
        assertThatExceptionOfType(StackOverflowError.class).isThrownBy(change::run);
        protocol.cutsOff = false;
        verify();
    }

    @Test
    void close_cutOffWhileMarking_isClosedAndCanBeClosedAgain() {
        cutOff(gate::close);
        assertThat(gate.isClosed()).isTrue();
        assertThatIllegalStateException().isThrownBy(gate::reopen);
        gate.close();
        assertThat(protocol.second).isTrue();
        verify();
        gate.reopen();
        verify();
    }

    @Test
    void reopen_cutOffWhileUnmarking_isClosedAndCanBeReopenedOrClosedAgain() {
        gate.close();
        cutOff(gate::reopen);
        assertThat(gate.isClosed()).isTrue();
        gate.reopen();
        assertThat(gate.isClosed()).isFalse();
        verify();
        gate.close();
        cutOff(gate::reopen);
        gate.close();
        assertThat(protocol.first).as("marked again").isTrue();
        gate.reopen();
        verify();
    }
}
