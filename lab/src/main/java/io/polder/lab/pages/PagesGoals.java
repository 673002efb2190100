package io.polder.lab.pages;

import io.polder.lab.experiment.Table;
import io.polder.lab.experiment.Table.Align;

import org.HdrHistogram.Histogram;

import java.util.Locale;

/** What Polder's pages are to reach, and whether they did. */
final class PagesGoals {
    private static final double MEAN_NANOS = 2_000;
    private static final double P99_NANOS = 10_000;
    private static final double MAX_NANOS = 1_000_000;
    private static final double ASSEMBLE_NANOS = 200_000;
    private static final double RATIO = 20;

    private PagesGoals() {}

    /** The table. */
    static String of(Measurement polder, Assemblies assemblies) {
        Histogram all = polder.latencies().all();
        double assembled = PagesMetrics.assembledOnAllocation(polder);
        double refused = PagesMetrics.refused(polder);
        double p99 = all.getValueAtPercentile(99);
        double assemble = assemblies.of(Assemblies.Turn::remapNanos).median();
        double ratio = assemblies.ratio().median();
        Table table =
                new Table()
                        .column("goal", Align.LEFT)
                        .column("", Align.RIGHT)
                        .column("measured", Align.RIGHT)
                        .column("", Align.LEFT);
        row(table, "assembled by who takes a page", "0", fixed(assembled), assembled == 0);
        row(table, "refused while enough is free", "0", fixed(refused), refused == 0);
        atMost(table, "mean take", MEAN_NANOS, all.getMean());
        atMost(table, "p99 of takes", P99_NANOS, p99);
        atMost(table, "worst take", MAX_NANOS, (double) all.getMaxValue());
        atMost(table, "32 MiB assembled", ASSEMBLE_NANOS, assemble);
        row(
                table,
                "unmap, map and first touch / that",
                ">= " + fixed(RATIO) + "x",
                fixed(ratio) + "x",
                ratio >= RATIO);
        return table.text();
    }

    private static void atMost(Table table, String what, double goalNanos, double nanos) {
        row(table, what, "<= " + micros(goalNanos), micros(nanos), nanos <= goalNanos);
    }

    private static void row(Table table, String what, String goal, String value, boolean reached) {
        table.row(what, goal, value, reached ? "reached" : "missed");
    }

    private static String micros(double nanos) {
        return String.format(Locale.ROOT, "%.1f us", nanos / 1e3);
    }

    private static String fixed(double value) {
        return String.format(Locale.ROOT, "%.0f", value);
    }
}
