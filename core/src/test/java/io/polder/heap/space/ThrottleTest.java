package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

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
}
