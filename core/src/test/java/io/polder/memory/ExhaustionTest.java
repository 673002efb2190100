package io.polder.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

import java.util.concurrent.locks.LockSupport;

/** How often a request has room made, where some little comes back each time. */
class ExhaustionTest {
    private static final class Crumbs implements Exhaustion {
        private final long keptNanos;
        private int asked;
        private int refused;

        Crumbs(long keptNanos) {
            this.keptNanos = keptNanos;
        }

        @Override
        public boolean makeRoom() {
            return true;
        }

        @Override
        public boolean compactHeaps(long bytes) {
            asked++;
            for (long begin = System.nanoTime(); System.nanoTime() - begin < keptNanos; ) {
                LockSupport.parkNanos(this, keptNanos);
            }
            return false;
        }

        @Override
        public void exhausted(MemoryExhaustedException exhausted) {
            refused++;
        }

        /** Each attempt fails. */
        void request() {
            MemoryExhaustedException full =
                    MemoryExhaustedException.overLimit("committedMaxBytes", 100, 100, 0, 10, "");
            int left = ATTEMPTS_MAX;
            while (true) {
                left = makeRoom(left, 0, full);
            }
        }
    }

    @Test
    void makeRoom_littleComesBackEachTime_asksHeapsAndProgramsBeforeItIsRefused() {
        Crumbs crumbs = new Crumbs(0);
        assertThatThrownBy(crumbs::request).isInstanceOf(OutOfMemoryError.class);
        assertThat(crumbs.asked).isBetween(1, Exhaustion.ASKING_ALL); // fewer where that takes long
        assertThat(crumbs.refused).isEqualTo(1);
    }

    /** As by a reader who stays in a heap. */
    @Test
    void makeRoom_thatIsKeptForLongInVain_isKeptOnce() {
        Crumbs crumbs = new Crumbs(Exhaustion.HELD_UP_NANOS);
        assertThatThrownBy(crumbs::request).isInstanceOf(OutOfMemoryError.class);
        assertThat(crumbs.asked).isEqualTo(1);
        assertThat(crumbs.refused).isEqualTo(1);
    }
}
