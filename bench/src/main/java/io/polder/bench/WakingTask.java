package io.polder.bench;

import io.polder.background.Background;
import io.polder.background.Task;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * What does it cost to wake a task that waits for its period, as each chunk given back does?
 *
 * <p>Run: {@code bench/run WakingTask}
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 200, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 200, timeUnit = TimeUnit.MILLISECONDS)
@Fork(2)
@State(Scope.Benchmark)
public class WakingTask {
    private final Task task =
            new Background("bench-background").task(() -> false, Duration.ofDays(1).toNanos());

    /** Creates the state of all benchmark threads. */
    public WakingTask() {}

    /** Begins the period. */
    @Setup
    public void wakeFirst() {
        task.wake();
    }

    /** Ends it. */
    @TearDown
    public void cancel() {
        task.cancel();
    }

    /** One more wake-up. */
    @Benchmark
    public void wake() {
        task.wake();
    }
}
