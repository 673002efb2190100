package io.polder.lab.confined;

import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

import java.time.Duration;
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

    private final Workload workload;

    Batch(Workload workload) {
        this.workload = workload;
    }

    /** Nanoseconds of one operation. */
    double nanos(Contender contender, Duration time) throws RunnerException {
        return run(options(contender, time)).getPrimaryResult().getScore();
    }

    /** Bytes that one operation takes from the Java heap. */
    double heapBytes(Contender contender, Duration time) throws RunnerException {
        Result<?> heap =
                run(options(contender, time).addProfiler(GCProfiler.class))
                        .getSecondaryResults()
                        .get(HEAP_BYTES_PER_OP);
        if (heap == null) {
            throw new RunnerException("JMH cannot tell how much Java heap was taken");
        }
        return heap.getScore();
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
