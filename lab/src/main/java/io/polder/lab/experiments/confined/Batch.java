package io.polder.lab.experiments.confined;

import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

import java.time.Duration;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * One iteration of JMH, in this JVM.
 *
 * <p>The measured loop is the one that JMH generates for a forked run, and it stays compiled from
 * one batch to the next, because JMH loads it once. Starting and ending a batch takes milliseconds,
 * outside of the time that is measured.
 */
final class Batch {
    private static final String HEAP_BYTES_PER_OP = "gc.alloc.rate.norm";

    /** The first one carries the profiler's start. */
    private static final int HEAP_BATCHES = 3;

    private final Workload workload;

    Batch(Workload workload) {
        this.workload = workload;
    }

    /** Nanoseconds of one operation. */
    double nanos(Contender contender, Duration time) throws RunnerException {
        return run(options(contender, time)).getPrimaryResult().getScore();
    }

    /**
     * Bytes that one operation takes from the Java heap: the least of a few batches, because the
     * profiler's own objects, most of them in the first batch, only ever add to it.
     */
    double heapBytes(Contender contender, Duration time) throws RunnerException {
        ChainedOptionsBuilder options =
                options(contender, time)
                        .measurementIterations(HEAP_BATCHES)
                        .addProfiler(GCProfiler.class);
        return run(options).getBenchmarkResults().stream()
                .flatMap(result -> result.getIterationResults().stream())
                .map(iteration -> iteration.getSecondaryResults().get(HEAP_BYTES_PER_OP))
                .filter(Objects::nonNull)
                .mapToDouble(heap -> heap.getScore())
                .min()
                .orElseThrow(() -> new RunnerException("JMH cannot tell how much heap was taken"));
    }

    private static RunResult run(ChainedOptionsBuilder options) throws RunnerException {
        return new Runner(options.build()).runSingle();
    }

    private ChainedOptionsBuilder options(Contender contender, Duration time) {
        ChainedOptionsBuilder options =
                new OptionsBuilder()
                        .include("^" + Pattern.quote(workload.method(contender)) + "$")
                        .forks(0)
                        .warmupIterations(0)
                        .measurementIterations(1)
                        .measurementTime(TimeValue.nanoseconds(time.toNanos()))
                        .shouldFailOnError(true)
                        .verbosity(VerboseMode.SILENT);
        workload.params().forEach(options::param);
        return options;
    }
}
