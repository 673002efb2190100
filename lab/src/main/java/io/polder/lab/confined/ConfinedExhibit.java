package io.polder.lab.confined;

import io.polder.lab.experiment.Exhibit;
import io.polder.lab.experiment.Goal;
import io.polder.lab.experiment.Quartiles;
import io.polder.lab.html.Bars;
import io.polder.lab.html.Bars.Bar;
import io.polder.lab.html.Bars.Scale;
import io.polder.lab.html.Bars.Spread;
import io.polder.lab.html.Chart;
import io.polder.lab.html.Chart.Caption;
import io.polder.lab.html.Tone;
import io.polder.lab.html.Unit;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;

/** What a page shows of the confined experiment: how many times as fast as the others. */
final class ConfinedExhibit {
    private static final String RATIO_NOTE =
            "Right of 1× Polder is faster. A thin line spans the middle half of all rounds, a"
                    + " dotted one marks the goal.";

    private ConfinedExhibit() {}

    static Exhibit of(List<Measurement> measurements) {
        List<Chart> charts = new ArrayList<>();
        addBars(
                charts,
                "Time of the JDK’s arena, divided by Polder’s",
                measurements.stream()
                        .filter(measurement -> measurement.workload().hasSpeedup())
                        .map(measurement -> bar(measurement, Contender.JDK, goal(measurement)))
                        .toList());
        addBars(
                charts,
                "Time of LWJGL’s MemoryStack, divided by Polder’s",
                measurements.stream()
                        .filter(measurement -> measurement.workload().hasLwjgl())
                        .map(
                                measurement ->
                                        bar(
                                                measurement,
                                                Contender.LWJGL,
                                                OptionalDouble.of(ConfinedText.LWJGL_GOAL)))
                        .toList());
        return new Exhibit(headline(measurements), goals(measurements), charts);
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

    private static OptionalDouble goal(Measurement measurement) {
        return measurement.workload().goal();
    }

    private static String headline(List<Measurement> measurements) {
        return measurements.stream()
                .filter(measurement -> measurement.workload().hasSpeedup())
                .findFirst()
                .map(
                        measurement ->
                                String.format(
                                        Locale.ROOT,
                                        "A confined arena with an allocation of %s takes %s, %.1f"
                                                + " times as fast as the JDK’s.",
                                        measurement.workload().label(),
                                        Unit.NANOS.format(
                                                measurement.nanos(Contender.POLDER).median()),
                                        measurement.ratio(Contender.JDK).median()))
                .orElse("");
    }

    private static List<Goal> goals(List<Measurement> measurements) {
        List<Goal> goals = new ArrayList<>();
        for (Measurement measurement : measurements) {
            Workload workload = measurement.workload();
            if (workload.hasSpeedup() && workload.goal().isPresent()) {
                goals.add(
                        atLeast(
                                workload.label() + ", JDK / Polder",
                                workload.goal().getAsDouble(),
                                measurement.ratio(Contender.JDK)));
            }
            if (workload.id().equals(Workload.EMPTY)) {
                double nanos = measurement.nanos(Contender.POLDER).median();
                goals.add(
                        new Goal(
                                workload.label(),
                                "<= " + Unit.NANOS.format(ConfinedText.EMPTY_GOAL_NS),
                                Unit.NANOS.format(nanos),
                                nanos <= ConfinedText.EMPTY_GOAL_NS));
            }
        }
        for (Measurement measurement : measurements) {
            if (measurement.workload().hasLwjgl()) {
                goals.add(
                        atLeast(
                                measurement.workload().label() + ", LWJGL / Polder",
                                ConfinedText.LWJGL_GOAL,
                                measurement.ratio(Contender.LWJGL)));
            }
        }
        double heap = ConfinedMetrics.heapBytesPerOp(measurements);
        goals.add(
                new Goal(
                        "Java heap per operation",
                        "0 B",
                        String.format(Locale.ROOT, "%.3f B", heap),
                        heap < ConfinedText.HEAP_NOISE_BYTES));
        return goals;
    }

    private static Goal atLeast(String what, double goal, Quartiles ratio) {
        return new Goal(
                what,
                ">= " + Unit.TIMES.format(goal),
                Unit.TIMES.format(ratio.median()),
                ratio.median() >= goal);
    }
}
