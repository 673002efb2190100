package io.polder.lab.experiments.elasticity;

import io.polder.lab.harness.Quartiles;
import io.polder.lab.report.Goal;
import io.polder.lab.report.ReportSection;
import io.polder.tools.html.Unit;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/** What a page shows of the elasticity experiment, besides its {@link ElasticityCharts}. */
final class ElasticitySection {
    /** Mappings that the pool may add to the process. */
    private static final long MAPS_GOAL = 16;

    private ElasticitySection() {}

    static ReportSection of(List<Measurement> measurements, Set<MallocLibrary> libraries) {
        return new ReportSection(
                headline(measurements, libraries),
                goals(measurements, libraries),
                ElasticityCharts.of(measurements, libraries));
    }

    private static String headline(List<Measurement> measurements, Set<MallocLibrary> libraries) {
        String ratios =
                libraries.stream()
                        .map(library -> library.id() + " " + times(median(measurements, library)))
                        .collect(Collectors.joining(", "));
        return "When most owners have died, resident memory of malloc is this multiple of Polder’s:"
                + " "
                + ratios
                + " (medians of "
                + measurements.size()
                + " workloads).";
    }

    private static double median(List<Measurement> measurements, MallocLibrary library) {
        return Quartiles.of(
                        measurements.stream()
                                .mapToDouble(
                                        measurement ->
                                                Figure.VALLEY.ratio(measurement, library).median())
                                .toArray())
                .median();
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
                            "<= " + MAPS_GOAL,
                            Unit.COUNT.format(maps),
                            maps <= MAPS_GOAL));
            for (MallocLibrary library : libraries) {
                for (Figure figure : Figure.ALL) {
                    figure.goal(library)
                            .ifPresent(
                                    ratio -> goals.add(goal(measurement, figure, library, ratio)));
                }
            }
        }
        return goals;
    }

    private static Goal goal(
            Measurement measurement, Figure figure, MallocLibrary library, double goal) {
        double ratio = figure.ratio(measurement, library).median();
        String what = measurement.workload().id() + ", " + figure.title() + ", " + library.id();
        return new Goal(what + " / Polder", ">= " + times(goal), times(ratio), ratio >= goal);
    }

    private static String times(double ratio) {
        return String.format(Locale.ROOT, "%.2f×", ratio);
    }
}
