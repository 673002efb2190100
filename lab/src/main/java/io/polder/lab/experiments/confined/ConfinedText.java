package io.polder.lab.experiments.confined;

import io.polder.lab.harness.Quartiles;
import io.polder.tools.terminal.Table;
import io.polder.tools.terminal.Table.Align;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** What the confined experiment prints: times, ratios, Java heap, and how it was measured. */
final class ConfinedText {
    /** Contenders beside Polder, in the order of the columns. */
    private static final List<Contender> OTHERS =
            List.of(Contender.JDK, Contender.LWJGL, Contender.MALLOC);

    private ConfinedText() {}

    /** The whole text. */
    static String of(List<Measurement> measurements, Scale scale) {
        return table("in a mixed JVM, ns", measurements, true)
                + "\n"
                + table("in a fresh JVM, ns", measurements, false)
                + "\n"
                + none(measurements)
                + heap(measurements)
                + "\n"
                + how(measurements, scale);
    }

    private static String table(String title, List<Measurement> measurements, boolean mixed) {
        Table table =
                new Table()
                        .column(title, Align.LEFT)
                        .column("JDK", Align.RIGHT)
                        .column("LWJGL", Align.RIGHT)
                        .column("malloc", Align.RIGHT)
                        .column("Polder", Align.RIGHT)
                        .column("JDK / Polder", Align.RIGHT)
                        .column("quartiles", Align.RIGHT);
        for (Measurement measurement : measurements) {
            if (measurement.workload().isMixed() == mixed) {
                row(table, measurement);
            }
        }
        return table.text();
    }

    private static void row(Table table, Measurement measurement) {
        List<String> others =
                OTHERS.stream().map(contender -> nanos(measurement, contender)).toList();
        Quartiles ratio = measurement.ratio(Contender.JDK);
        table.row(
                measurement.workload().label(),
                others.get(0),
                others.get(1),
                others.get(2),
                nanos(measurement, Contender.POLDER),
                times(ratio.median()),
                times(ratio.lower()) + " - " + times(ratio.upper()));
    }

    private static String none(List<Measurement> measurements) {
        StringBuilder text = new StringBuilder();
        for (Measurement measurement : measurements) {
            if (measurement.workload().hasNone()) {
                text.append(
                        String.format(
                                Locale.ROOT,
                                "%s without any arena: %s ns, %s of Polder's time.\n",
                                measurement.workload().label(),
                                nanos(measurement, Contender.NONE),
                                times(measurement.ratio(Contender.NONE).median())));
            }
        }
        return text.toString();
    }

    private static String heap(List<Measurement> measurements) {
        return "Java heap per operation on Polder, the worst row: in a mixed JVM "
                + heap(measurements, true)
                + ",\nin a fresh one "
                + heap(measurements, false)
                + "; without foreign calls and shared arenas, which need objects.\n";
    }

    private static String heap(List<Measurement> measurements, boolean mixed) {
        return ConfinedMetrics.worstHeap(measurements, mixed)
                .map(
                        worst ->
                                String.format(
                                        Locale.ROOT,
                                        "%.1f B (%s)",
                                        worst.heapBytesPerOp(),
                                        worst.workload().label()))
                .orElse("-");
    }

    private static String how(List<Measurement> measurements, Scale scale) {
        int rounds = measurements.stream().mapToInt(Measurement::rounds).min().orElse(0);
        return String.format(
                Locale.ROOT,
                "A mixed JVM has used arenas of all kinds and sizes, %,d times each, before it"
                    + " measures.\n"
                    + "malloc: calloc and free through critical downcalls. LWJGL's stack, like"
                    + " malloc, checks nothing.\n"
                    + "Each row: %d JVM%s, a warm-up of at least %.1f s until every contender is"
                    + " compiled, then rounds,\n"
                    + "at least %d in all. A round gives each contender one JMH batch of %d ms, in"
                    + " random order.\n"
                    + "Times are medians; ratios are medians over the rounds, each taken within its"
                    + " round.\n",
                scale.mixing(),
                scale.jvms(),
                scale.jvms() == 1 ? "" : "s",
                scale.warmup().toMillis() / 1000.0,
                rounds,
                scale.batch().toMillis());
    }

    /** Says which rows are of code that the compilers were not done with; empty if none is. */
    static List<String> uncompiled(List<Measurement> measurements) {
        String rows =
                measurements.stream()
                        .filter(measurement -> !measurement.isCompiled())
                        .map(measurement -> measurement.workload().longLabel())
                        .collect(Collectors.joining("; "));
        return rows.isEmpty()
                ? List.of()
                : List.of("Not fully compiled when they were measured: " + rows + ".");
    }

    private static String nanos(Measurement measurement, Contender contender) {
        if (!measurement.workload().contenders().contains(contender)) {
            return "";
        }
        double nanos = measurement.nanos(contender).median();
        return String.format(
                Locale.ROOT, nanos < 100 ? "%.2f" : nanos < 10_000 ? "%.1f" : "%.0f", nanos);
    }

    private static String times(double ratio) {
        return String.format(Locale.ROOT, "%.2fx", ratio);
    }
}
