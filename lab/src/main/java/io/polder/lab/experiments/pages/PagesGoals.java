package io.polder.lab.experiments.pages;

import io.polder.lab.harness.Findings;
import io.polder.lab.report.Goal;

import org.HdrHistogram.Histogram;

import java.util.List;
import java.util.Locale;

/** What Polder's pages are to reach, and whether they did. */
final class PagesGoals {
    private static final double MEAN_NANOS = 2_000;
    private static final double P99_NANOS = 10_000;
    private static final double MAX_NANOS = 1_000_000;
    private static final double ASSEMBLE_NANOS = 200_000;
    private static final double RATIO = 20;

    private PagesGoals() {}

    /** All of them. */
    static List<Goal> list(Measurement polder, Findings assemblies) {
        Histogram all = polder.latencies().all();
        double assembled = PagesMetrics.assembledOnAllocation(polder);
        double refused = PagesMetrics.refused(polder);
        double assemble = assemblies.quartiles(AssemblyJvm.REMAP).median();
        double ratio = AssemblyJvm.ratio(assemblies).median();
        return List.of(
                new Goal("assembled by who takes a page", "0", fixed(assembled), assembled == 0),
                new Goal("refused while enough is free", "0", fixed(refused), refused == 0),
                atMost("mean take", MEAN_NANOS, all.getMean()),
                atMost("p99 of takes", P99_NANOS, (double) all.getValueAtPercentile(99)),
                atMost("worst take", MAX_NANOS, (double) all.getMaxValue()),
                atMost("32 MiB assembled", ASSEMBLE_NANOS, assemble),
                new Goal(
                        "unmap, map and first touch / that",
                        ">= " + fixed(RATIO) + "x",
                        fixed(ratio) + "x",
                        ratio >= RATIO));
    }

    private static Goal atMost(String what, double goalNanos, double nanos) {
        return new Goal(what, "<= " + micros(goalNanos), micros(nanos), nanos <= goalNanos);
    }

    private static String micros(double nanos) {
        return String.format(Locale.ROOT, "%.1f us", nanos / 1e3);
    }

    private static String fixed(double value) {
        return String.format(Locale.ROOT, "%.0f", value);
    }
}
