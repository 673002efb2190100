package io.polder.lab.experiments.confined;

import io.polder.lab.harness.Quartiles;
import io.polder.lab.report.ReportSection;
import io.polder.tools.html.Bars;
import io.polder.tools.html.Bars.Bar;
import io.polder.tools.html.Bars.Scale;
import io.polder.tools.html.Bars.Spread;
import io.polder.tools.html.Chart;
import io.polder.tools.html.Chart.Caption;
import io.polder.tools.html.Tone;
import io.polder.tools.html.Unit;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;

/** What a page shows of the confined experiment: how many times as fast as the others. */
final class ConfinedSection {
    private static final String RATIO_NOTE =
            "Right of 1× Polder is faster. A thin line spans the middle half of all rounds.";

    private ConfinedSection() {}

    static ReportSection of(List<Measurement> measurements) {
        List<Chart> charts = new ArrayList<>();
        for (boolean mixed : new boolean[] {true, false}) {
            List<Measurement> rows =
                    measurements.stream()
                            .filter(measurement -> measurement.workload().isMixed() == mixed)
                            .toList();
            addBars(
                    charts,
                    "Time of the JDK’s arena, divided by Polder’s, in a " + jvm(mixed),
                    rows.stream()
                            .filter(measurement -> measurement.workload().hasSpeedup())
                            .map(
                                    measurement ->
                                            bar(
                                                    measurement,
                                                    Contender.JDK,
                                                    measurement.workload().goal()))
                            .toList());
            addBars(
                    charts,
                    "Time of LWJGL’s MemoryStack, divided by Polder’s, in a " + jvm(mixed),
                    rows.stream()
                            .filter(measurement -> measurement.workload().hasLwjgl())
                            .map(
                                    measurement ->
                                            bar(
                                                    measurement,
                                                    Contender.LWJGL,
                                                    ConfinedGoals.lwjgl(measurement.workload())))
                            .toList());
        }
        return new ReportSection(headline(measurements), ConfinedGoals.list(measurements), charts);
    }

    private static String jvm(boolean mixed) {
        return mixed ? "JVM that has used everything" : "fresh JVM";
    }

    private static void addBars(List<Chart> charts, String title, List<Bar> bars) {
        if (!bars.isEmpty()) {
            charts.add(new Bars(new Caption(title, RATIO_NOTE), Scale.RATIO, Unit.TIMES, bars));
        }
    }

    private static Bar bar(Measurement measurement, Contender other, OptionalDouble goal) {
        Quartiles ratio = measurement.ratio(other);
        return new Bar(
                measurement.workload().label(),
                "",
                Tone.OURS,
                new Spread(ratio.lower(), ratio.median(), ratio.upper()),
                goal);
    }

    private static String headline(List<Measurement> measurements) {
        return measurements.stream()
                .filter(measurement -> measurement.workload().isMixed())
                .findFirst()
                .map(
                        measurement ->
                                String.format(
                                        Locale.ROOT,
                                        "A confined arena with an allocation of %s takes %s, %.1f"
                                                + " times as fast as the JDK’s, in a JVM that has"
                                                + " used everything.",
                                        measurement.workload().label(),
                                        Unit.NANOS.format(
                                                measurement.nanos(Contender.POLDER).median()),
                                        measurement.ratio(Contender.JDK).median()))
                .orElse("");
    }
}
