package io.polder.lab.confined;

import io.polder.lab.experiment.Quartiles;
import io.polder.lab.experiment.Table;
import io.polder.lab.experiment.Table.Align;

import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;

/** What the confined experiment prints: against the JDK, against LWJGL, and how it was measured. */
final class ConfinedText {
    /** Time of an arena that nobody allocates from, in nanoseconds, to be reached. */
    static final double EMPTY_GOAL_NS = 1;

    /** No slower than LWJGL. */
    static final double LWJGL_GOAL = 1;

    /**
     * Bytes of Java heap per operation that count as none: JMH's own few objects, spread over all
     * operations of a batch. The smallest object in every operation would be eight or more.
     */
    static final double HEAP_NOISE_BYTES = 0.5;

    /**
     * Share of a processor from which on the measuring JVM counts as alone: one loop is busy all
     * the time, except while batches start and end.
     */
    private static final double ALONE = 0.8;

    private ConfinedText() {}

    /** The whole text. */
    static String of(List<Measurement> measurements, Pace pace) {
        return againstJdk(measurements)
                + "\n"
                + againstLwjgl(measurements)
                + "\n"
                + heap(measurements)
                + "\n"
                + how(measurements, pace)
                + busy(measurements);
    }

    private static String againstJdk(List<Measurement> measurements) {
        Table table =
                new Table()
                        .column("confined arena", Align.LEFT)
                        .column("JDK ns", Align.RIGHT)
                        .column("Polder ns", Align.RIGHT)
                        .column("speed-up", Align.RIGHT)
                        .column("quartiles", Align.RIGHT)
                        .column("goal", Align.RIGHT)
                        .column("", Align.LEFT);
        for (Measurement measurement : measurements) {
            Workload workload = measurement.workload();
            if (workload.hasSpeedup()) {
                row(table, measurement, Contender.JDK, workload.goal());
            } else if (workload.id().equals(Workload.EMPTY)) {
                double nanos = measurement.nanos(Contender.POLDER).median();
                Quartiles ratio = measurement.ratio(Contender.JDK);
                table.row(
                        workload.label(),
                        nanos(measurement.nanos(Contender.JDK).median()),
                        nanos(nanos),
                        times(ratio.median()),
                        times(ratio.lower()) + " - " + times(ratio.upper()),
                        "<= 1 ns",
                        verdict(nanos <= EMPTY_GOAL_NS));
            }
        }
        return table.text();
    }

    private static String againstLwjgl(List<Measurement> measurements) {
        Table table =
                new Table()
                        .column("MemoryStack, zeroed", Align.LEFT)
                        .column("LWJGL ns", Align.RIGHT)
                        .column("Polder ns", Align.RIGHT)
                        .column("ratio", Align.RIGHT)
                        .column("quartiles", Align.RIGHT)
                        .column("goal", Align.RIGHT)
                        .column("", Align.LEFT);
        for (Measurement measurement : measurements) {
            if (measurement.workload().hasLwjgl()) {
                row(table, measurement, Contender.LWJGL, OptionalDouble.of(LWJGL_GOAL));
            }
        }
        return table.text();
    }

    private static void row(
            Table table, Measurement measurement, Contender other, OptionalDouble goal) {
        Quartiles ratio = measurement.ratio(other);
        table.row(
                measurement.workload().label(),
                nanos(measurement.nanos(other).median()),
                nanos(measurement.nanos(Contender.POLDER).median()),
                times(ratio.median()),
                times(ratio.lower()) + " - " + times(ratio.upper()),
                goal.isPresent() ? String.format(Locale.ROOT, ">= %.1fx", goal.getAsDouble()) : "",
                goal.isPresent() ? verdict(ratio.median() >= goal.getAsDouble()) : "");
    }

    private static String heap(List<Measurement> measurements) {
        double bytes = ConfinedMetrics.heapBytesPerOp(measurements);
        return String.format(
                Locale.ROOT,
                "Java heap per operation on Polder, without the foreign calls' own: %.3f B,"
                        + " goal 0: %s\n",
                bytes,
                verdict(bytes < HEAP_NOISE_BYTES));
    }

    private static String how(List<Measurement> measurements, Pace pace) {
        int rounds = measurements.stream().mapToInt(Measurement::rounds).min().orElse(0);
        return String.format(
                Locale.ROOT,
                "Each row: %d fresh JVM%s, a warm-up of at least %.1f s until every contender is"
                    + " compiled, then rounds,\n"
                    + "at least %d in all. A round gives each contender one JMH batch of %d ms, in"
                    + " random order.\n"
                    + "Times are medians; ratios are medians over the rounds, each taken within its"
                    + " round.\n",
                pace.jvms(),
                pace.jvms() == 1 ? "" : "s",
                pace.warmup().toMillis() / 1000.0,
                rounds,
                pace.batch().toMillis());
    }

    private static String busy(List<Measurement> measurements) {
        double share = measurements.stream().mapToDouble(Measurement::cpuShare).average().orElse(1);
        return share >= ALONE
                ? ""
                : String.format(
                        Locale.ROOT,
                        "\n"
                            + "This machine was busy with other programs: the measuring JVMs got"
                            + " %.0f %% of a processor.\n"
                            + "Run it again when it is idle before you trust these figures.\n",
                        share * 100);
    }

    private static String nanos(double nanos) {
        return String.format(Locale.ROOT, nanos < 100 ? "%.2f" : "%.1f", nanos);
    }

    private static String times(double ratio) {
        return String.format(Locale.ROOT, "%.2fx", ratio);
    }

    private static String verdict(boolean reached) {
        return reached ? "reached" : "missed";
    }
}
