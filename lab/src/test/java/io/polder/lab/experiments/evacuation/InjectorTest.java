package io.polder.lab.experiments.evacuation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

class InjectorTest {
    private static final Duration DURATION = Duration.ofMillis(200);
    private static final int TRIES_MAX = 100;

    @Test
    void run_doesAsManyOperationsAsTheRateSays() throws Exception {
        AtomicLong count = new AtomicLong();
        Injector injector = new Injector(2, _ -> count::incrementAndGet);

        Injector.Outcome outcome = injector.run(10_000, DURATION);
        // A machine that stands still for a moment makes a rate be given up; not each time.
        for (int tries = 1; outcome.givenUp() && tries < TRIES_MAX; tries++) {
            count.set(0);
            outcome = injector.run(10_000, DURATION);
        }

        assertThat(outcome.givenUp()).isFalse();
        assertThat(count.get()).isEqualTo(2000);
        assertThat(outcome.latencies().getTotalCount()).isEqualTo(2000);
    }

    @Test
    void run_withOneSlowOperation_countsThoseBehindItFromTheirArrival() throws Exception {
        long slow = TimeUnit.MILLISECONDS.toNanos(20);
        AtomicLong count = new AtomicLong();
        Injector injector =
                new Injector(
                        1,
                        _ ->
                                () -> {
                                    if (count.getAndIncrement() == 0) {
                                        sleep(slow);
                                    }
                                });

        Injector.Outcome outcome = injector.run(10_000, DURATION);
        // As above: a rate that was given up has not counted all that arrived.
        for (int tries = 1; outcome.givenUp() && tries < TRIES_MAX; tries++) {
            count.set(0);
            outcome = injector.run(10_000, DURATION);
        }

        assertThat(outcome.givenUp()).isFalse();
        assertThat(outcome.latencies().getMaxValue()).isGreaterThanOrEqualTo(slow);
        // A hundred arrive in the first half of it.
        assertThat(outcome.latencies().getCountBetweenValues(slow / 2, Long.MAX_VALUE))
                .isGreaterThan(90);
        assertThat(outcome.holds(RateSearch.P99_NANOS_MAX)).isFalse();
    }

    @Test
    void run_ofOperationsThatCannotFollow_isGivenUp() throws Exception {
        Injector injector = new Injector(1, _ -> () -> sleep(TimeUnit.MILLISECONDS.toNanos(5)));

        Injector.Outcome outcome = injector.run(10_000, DURATION);

        assertThat(outcome.givenUp()).isTrue();
        assertThat(outcome.holds(Long.MAX_VALUE)).isFalse();
        assertThat(new RateSearch(3, Duration.ofMillis(20), 2).run(injector, 10_000)).isZero();
    }

    @Test
    void run_ofAnOperationThatFails_fails() {
        Injector injector =
                new Injector(
                        1,
                        _ ->
                                () -> {
                                    throw new AssertionError("broken on purpose");
                                });

        assertThatThrownBy(() -> injector.run(10_000, DURATION))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("broken on purpose");
    }

    @Test
    void sizes_areThoseOfTheWorkload() {
        ValueSizes sizes = ValueSizes.ofCache();
        SplittableRandom random = new SplittableRandom(1);
        long large = 0;
        for (int i = 0; i < 1_000_000; i++) {
            int size = sizes.next(random);
            assertThat(size).isBetween(31, sizes.max());
            large += size > 959 ? 1 : 0;
        }

        assertThat(sizes.mean()).isCloseTo(335.2, Percentage.withPercentage(6));
        assertThat(sizes.max()).isBetween(450_000, 523_487);
        // One of a hundred is above the 99th percentile of the workload.
        assertThat(large).isBetween(9_000L, 11_000L);
    }

    private static void sleep(long nanos) {
        long end = System.nanoTime() + nanos;
        while (System.nanoTime() < end) {
            LockSupport.parkNanos(end - System.nanoTime());
        }
    }
}
