package io.polder.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polder.Await;
import io.polder.arena.TestScale;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

/** Work runs in place where there is stack, and elsewhere where there is none. */
class DeepStackRunnerTest {

    @Test
    void call_stackLeft_runsInPlace() {
        assertThat(DeepStackRunner.call(Thread::currentThread)).isSameAs(Thread.currentThread());
        assertThatThrownBy(() -> DeepStackRunner.call(DeepStackRunnerTest::fail))
                .isInstanceOf(Expected.class);
    }

    /** Has no trace: that of a deep stack takes long, and here are thousands. */
    private static final class Expected extends RuntimeException {
        private static final long serialVersionUID = 1;

        Expected() {
            super("for a test", null, false, false);
        }
    }

    private static Thread fail() {
        throw new Expected();
    }

    /** How many frames apart calls are: each starts a thread. */
    private static final int STEP = TestScale.of(8, 1);

    /** What came of calls at many depths: the thread that ran, or what was thrown. */
    private static final class Depths implements Runnable {
        private final List<Object> outcomes = new ArrayList<>(10_000);
        private final boolean fails;
        private int depth;

        Depths(boolean fails) {
            this.fails = fails;
        }

        @Override
        public void run() {
            down();
        }

        /** Down to the end of the stack, and calls on the way up. */
        @SuppressWarnings("InfiniteRecursion") // it is about the end of the stack
        private void down() {
            try {
                down();
            } catch (StackOverflowError end) {
                // Begins the way up.
            }
            depth++;
            if (depth % STEP == 0 && outcomes.size() < 9_000) {
                outcomes.add(callOnce());
            }
        }

        private Object callOnce() {
            try {
                return DeepStackRunner.call(
                        fails ? DeepStackRunnerTest::fail : Thread::currentThread);
            } catch (StackOverflowError | Expected thrown) {
                return thrown;
            }
        }

        private List<Object> runOn(long stackBytes) throws InterruptedException {
            Thread thread = new Thread(null, this, "deep", stackBytes);
            thread.start();
            Await.end(thread);
            outcomes.add(thread);
            return outcomes;
        }
    }

    @Test
    void call_nearTheEndOfAStack_runsOnAnotherThreadOrNotAtAll() throws Exception {
        List<Object> outcomes = new Depths(false).runOn(256 << 10);
        Object deep = outcomes.getLast();
        assertThat(outcomes)
                .hasSizeGreaterThan(100)
                .hasAtLeastOneElementOfType(StackOverflowError.class)
                .anyMatch(each -> each instanceof Thread other && other != deep);
    }

    @Test
    void call_nearTheEndOfAStackAndFails_throwsWhatWasThrownThere() throws Exception {
        assertThat(new Depths(true).runOn(256 << 10)).hasAtLeastOneElementOfType(Expected.class);
    }
}
