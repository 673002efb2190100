package io.polder.lab.experiments.confined;

import static io.polder.lab.report.Format.times2;

import io.polder.lab.harness.Quartiles;
import io.polder.lab.report.Format;
import io.polder.tools.terminal.Columns;

import java.util.List;
import java.util.stream.Collectors;

/** What the confined experiment prints: times, ratios, Java heap, and how it was measured. */
final class ConfinedText {
    private static final Columns<Measurement> MIXED = columns("in a mixed JVM, ns");
    private static final Columns<Measurement> FRESH = columns("in a fresh JVM, ns");

    /** What is to be said of a quick run. */
    private static final String ROUGH =
            """
            Quick figures are rough: few rounds, and all rows of the mixed table come from one JVM.
            """;

    private ConfinedText() {}

    /** The whole text. */
    static String of(List<Measurement> measurements, Scale scale) {
        return MIXED.table(measurements.stream().filter(one -> one.workload().isMixed()).toList())
                + "\n"
                + FRESH.table(
                        measurements.stream().filter(one -> !one.workload().isMixed()).toList())
                + "\n"
                + measurements.stream().map(ConfinedText::none).collect(Collectors.joining())
                + heap(measurements)
                + "\n"
                + how(measurements, scale);
    }

    private static Columns<Measurement> columns(String title) {
        return new Columns<Measurement>()
                .words(title, one -> one.workload().label())
                .number("JDK", one -> nanos(one, Contender.JDK))
                .number("LWJGL", one -> nanos(one, Contender.LWJGL))
                .number("malloc", one -> nanos(one, Contender.MALLOC))
                .number("Polder", one -> nanos(one, Contender.POLDER))
                .number("JDK / Polder", one -> times2(one.ratio(Contender.JDK).median()))
                .number("quartiles", one -> quartiles(one.ratio(Contender.JDK)));
    }

    private static String quartiles(Quartiles ratio) {
        return times2(ratio.lower()) + " - " + times2(ratio.upper());
    }

    private static String none(Measurement one) {
        return one.workload().hasNone()
                ? Format.text(
                        "%s without any arena: %s ns, %s of Polder's time.\n",
                        one.workload().label(),
                        nanos(one, Contender.NONE),
                        times2(one.ratio(Contender.NONE).median()))
                : "";
    }

    private static String heap(List<Measurement> measurements) {
        return Format.text(
                """
                Java heap per operation on Polder, the worst row: in a mixed JVM %s,
                in a fresh one %s; without foreign calls and shared arenas, which need objects.
                """,
                heap(measurements, true), heap(measurements, false));
    }

    private static String heap(List<Measurement> measurements, boolean mixed) {
        return ConfinedMetrics.worstHeap(measurements, mixed)
                .map(
                        worst ->
                                Format.text(
                                        "%.1f B (%s)",
                                        worst.heapBytesPerOp(), worst.workload().label()))
                .orElse("-");
    }

    private static String how(List<Measurement> measurements, Scale scale) {
        return Format.text(
                """
                A row: an arena is opened, gives so many bytes, at once or in so many pieces, and \
                is closed.
                A mixed JVM has used arenas of all kinds and sizes, %,d times each, before it \
                measures.
                malloc: calloc and free through critical downcalls. LWJGL's stack, like malloc, \
                checks nothing.
                Each row: %d JVM%s, a warm-up of at least %.1f s until every contender is \
                compiled, then rounds,
                at least %d in all. A round gives each contender one JMH batch of %d ms, in random \
                order.
                Times are medians; ratios are medians over the rounds, each taken within its round.
                %s\
                """,
                scale.mixing(),
                scale.jvms(),
                scale.jvms() == 1 ? "" : "s",
                scale.warmup().toMillis() / 1000.0,
                measurements.stream().mapToInt(Measurement::rounds).min().orElse(0),
                scale.batch().toMillis(),
                scale.oneMixedJvm() ? ROUGH : "");
    }

    /** Says which rows are of code that the compilers were not done with; empty if none is. */
    static List<String> uncompiled(List<Measurement> measurements) {
        String rows =
                measurements.stream()
                        .filter(one -> !one.isCompiled())
                        .map(one -> one.workload().longLabel())
                        .collect(Collectors.joining("; "));
        return rows.isEmpty()
                ? List.of()
                : List.of("Not fully compiled when they were measured: " + rows + ".");
    }

    private static String nanos(Measurement one, Contender contender) {
        if (!one.workload().contenders().contains(contender)) {
            return "";
        }
        double nanos = one.nanos(contender).median();
        return Format.fixed(nanos < 100 ? 2 : nanos < 10_000 ? 1 : 0, nanos);
    }
}
