package io.polder.lab.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/** Threads that measure, and what becomes of one that fails. */
class WorkerThreadsTest {
    private static final Duration WINDOW = Duration.ofMillis(20);

    private enum Kind {
        ONLY
    }

    @Test
    void measure_loops_areCounted() throws Exception {
        WorkerThreads<Kind> workers = new WorkerThreads<>(2, Kind.class, (_, _) -> () -> 3);
        for (int i = 0; i < 2; i++) {
            WorkerThreads.Window window = workers.measure(Kind.ONLY, WINDOW);
            assertThat(window.operations()).isPositive().matches(all -> all % 3 == 0);
            assertThat(window.cpuNanos()).isPositive();
        }
        workers.close();
    }

    /** There is nobody left who would get anywhere. */
    @Test
    void measure_allThreadsFail_saysWhy() {
        WorkerThreads<Kind> workers =
                new WorkerThreads<>(
                        1,
                        Kind.class,
                        (_, _) ->
                                () -> {
                                    throw new UnsupportedOperationException("no memory");
                                });
        assertThatThrownBy(() -> workers.measure(Kind.ONLY, WINDOW))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("no memory");
    }

    @Test
    void measure_aThreadFailsLater_saysWhy() {
        AtomicInteger passes = new AtomicInteger();
        WorkerThreads<Kind> workers =
                new WorkerThreads<>(
                        1,
                        Kind.class,
                        (_, _) ->
                                () -> {
                                    if (passes.incrementAndGet() == 2) {
                                        throw new UnsupportedOperationException("no memory");
                                    }
                                    return 1;
                                });
        assertThatThrownBy(() -> workers.measure(Kind.ONLY, WINDOW))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("no memory");
    }
}
