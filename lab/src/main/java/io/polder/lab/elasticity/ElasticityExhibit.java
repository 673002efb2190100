package io.polder.lab.elasticity;

import io.polder.lab.elasticity.Contender.Kind;
import io.polder.lab.experiment.Exhibit;
import io.polder.lab.experiment.Goal;
import io.polder.lab.experiment.Quartiles;
import io.polder.lab.html.Unit;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/** What a page shows of the elasticity experiment, besides its {@link ElasticityCharts}. */
final class ElasticityExhibit {
    private ElasticityExhibit() {}

    static Exhibit of(List<Measurement> measurements, Set<MallocLibrary> libraries) {
        return new Exhibit(
                headline(measurements, libraries),
                goals(measurements, libraries),
                ElasticityCharts.of(measurements, libraries));
    }

    private static String headline(List<Measurement> measurements, Set<MallocLibrary> libraries) {
        Figure valley = Figure.ALL.getFirst();
        String others =
                libraries.stream()
                        .map(
                                library ->
                                        library.id()
                                                + " "
                                                + times(median(measurements, library, valley)))
                        .collect(Collectors.joining(", "));
        return "When most owners have died, what is left of malloc’s resident memory, by Polder’s: "
                + others
                + " (median of "
                + measurements.size()
                + " workloads).";
    }

    private static double median(
            List<Measurement> measurements, MallocLibrary library, Figure figure) {
        return Quartiles.of(
                        measurements.stream()
                                .mapToDouble(measurement -> ratio(measurement, library, figure))
                                .toArray())
                .median();
    }

    private static double ratio(Measurement measurement, MallocLibrary library, Figure figure) {
        return measurement.ratio(Contender.malloc(Kind.IDEAL, library), figure.value()).median();
    }

    private static List<Goal> goals(List<Measurement> measurements, Set<MallocLibrary> libraries) {
        List<Goal> goals = new ArrayList<>();
        for (Measurement measurement : measurements) {
            String id = measurement.workload().id();
            double goal = measurement.workload().valleyGoal();
            double valley =
                    measurement.median(
                            Contender.POLDER,
                            recording -> recording.committedOverUsed(Stage.TRIMMED));
            goals.add(
                    new Goal(
                            id + ", committed / used in the valley",
                            "<= " + times(goal),
                            times(valley),
                            valley <= goal));
            double end = ElasticityMetrics.finalCommittedBytes(measurement);
            goals.add(
                    new Goal(
                            id + ", committed at the end",
                            "0 B",
                            Unit.BYTES.format(end),
                            end == 0));
            double maps = ElasticityMetrics.mapsMax(measurement);
            goals.add(
                    new Goal(
                            id + ", mappings added",
                            "<= " + ElasticityText.MAPS_GOAL,
                            Unit.COUNT.format(maps),
                            maps <= ElasticityText.MAPS_GOAL));
            for (MallocLibrary library : libraries) {
                Contender malloc = Contender.malloc(Kind.IDEAL, library);
                for (Figure figure : Figure.ALL) {
                    double ratio = ratio(measurement, library, figure);
                    goals.add(
                            new Goal(
                                    id + ", " + figure.title() + ", " + library.id() + " / Polder",
                                    ">= " + times(figure.goal(malloc)),
                                    times(ratio),
                                    ratio >= figure.goal(malloc)));
                }
            }
        }
        return goals;
    }

    private static String times(double ratio) {
        return String.format(Locale.ROOT, "%.2f×", ratio);
    }
}
