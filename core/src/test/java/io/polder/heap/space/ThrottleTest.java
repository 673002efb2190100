package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.arena.OtherThread;
import io.polder.leak.Collected;

import org.junit.jupiter.api.Test;

import java.lang.ref.WeakReference;

/** What a heap with hardly any share of a processor does after it has worked. */
class ThrottleTest {
    private final Throttle throttle = new Throttle(1e-9, new EvacuationCounts());

    private void work() {
        throttle.begin();
        long start = System.nanoTime();
        while (System.nanoTime() - start < 100_000) {
            Thread.onSpinWait();
        }
        throttle.end();
        throttle.pause();
    }

    @Test
    void worksByItself_restsAfterwards() {
        assertThat(throttle.isResting()).isFalse();
        work();
        assertThat(throttle.isResting()).isTrue();
        assertThat(throttle.isLeft()).isTrue();
    }

    @Test
    void isWaitedFor_owesNothing() {
        throttle.expediters = 1;
        work();
        throttle.expediters = 0;
        assertThat(throttle.isResting()).isFalse();
    }

    @Test
    void rests_andIsWaitedFor_doesNotRestMeanwhile() {
        work();
        throttle.expediters = 1;
        assertThat(throttle.isResting()).isFalse();
        throttle.expediters = 0;
        assertThat(throttle.isResting()).isTrue();
    }

    /** Nor what it refers to: its group, and the class loader of its context. */
    @Test
    void threadThatWorked_isNotKept() {
        WeakReference<Thread> worker =
                OtherThread.platform(
                        () -> {
                            work();
                            return new WeakReference<>(Thread.currentThread());
                        });
        assertThat(throttle.isResting()).isTrue();
        Collected.until("the thread is unreachable", () -> worker.refersTo(null));
    }
}
