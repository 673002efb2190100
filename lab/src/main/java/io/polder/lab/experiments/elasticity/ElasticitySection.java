package io.polder.lab.experiments.elasticity;

import io.polder.PoolMap;
import io.polder.lab.experiments.elasticity.Contender.Kind;
import io.polder.lab.harness.MallocLibrary;
import io.polder.lab.harness.Quartiles;
import io.polder.lab.report.Charts;
import io.polder.lab.report.PoolAreas;
import io.polder.lab.report.ReportSection;
import io.polder.tools.html.Bars.Bar;
import io.polder.tools.html.Chart;
import io.polder.tools.html.Chart.Caption;
import io.polder.tools.html.MemoryMap;
import io.polder.tools.html.MemoryMap.Panel;
import io.polder.tools.html.Term;
import io.polder.tools.html.TimeLine;
import io.polder.tools.html.TimeLine.Line;
import io.polder.tools.html.TimeLine.Mark;
import io.polder.tools.html.Tone;
import io.polder.tools.html.Unit;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/**
 * What a page shows of the elasticity experiment: memory over time, ratios, and maps of Polder's
 * chunks.
 */
final class ElasticitySection {
    /** Workloads whose maps are shown: the published one, and the one with the most owners. */
    private static final Set<String> MAPPED = Set.of("5x80x100", "5x8000x1");

    private static final Term ASKED_FOR =
            new Term("asked for", "Bytes that living owners have asked for.");
    private static final Term COMMITTED =
            new Term("Polder, committed", "Memory that Polder has of the system, as it counts it.");
    private static final Term RESIDENT =
            new Term(
                    "Polder, resident",
                    "Resident memory of a process that allocates in Polder’s arenas.");

    /** Stages that have a name on a chart. */
    private static final Map<Stage, String> MARKS =
            new EnumMap<>(
                    Map.of(
                            Stage.PEAK, "peak",
                            Stage.TRIMMED, "valley",
                            Stage.AGAIN, "again",
                            Stage.END, "end"));

    private final List<Measurement> measurements;
    private final Set<MallocLibrary> libraries;

    private ElasticitySection(List<Measurement> measurements, Set<MallocLibrary> libraries) {
        this.measurements = measurements;
        this.libraries = libraries;
    }

    static ReportSection of(List<Measurement> measurements, Set<MallocLibrary> libraries) {
        ElasticitySection section = new ElasticitySection(measurements, libraries);
        return new ReportSection(
                section.headline(),
                ElasticityMetrics.goals(measurements, libraries),
                section.charts());
    }

    private String headline() {
        String ratios =
                libraries.stream()
                        .map(library -> library.id() + " " + medianInValley(library))
                        .collect(Collectors.joining(", "));
        return "When most owners have died, resident memory of malloc is this multiple of Polder’s:"
                + " "
                + ratios
                + " (medians of "
                + measurements.size()
                + " workloads).";
    }

    private String medianInValley(MallocLibrary library) {
        double[] ratios =
                measurements.stream()
                        .mapToDouble(one -> Figure.VALLEY.ratio(one, library).median())
                        .toArray();
        return Charts.times2(Quartiles.of(ratios).median());
    }

    private List<Chart> charts() {
        List<Chart> charts = new ArrayList<>();
        measurements.forEach(one -> charts.add(timeline(one)));
        Figure.ALL.forEach(figure -> charts.add(bars(figure)));
        for (Measurement one : measurements) {
            List<Panel> panels = panels(one.first(Contender.POLDER));
            if (MAPPED.contains(one.workload().id()) && !panels.isEmpty()) {
                charts.add(
                        new MemoryMap(
                                new Caption(
                                        "Polder’s chunks, " + one.workload().id(),
                                        "By address, from left to right, then down. In the valley"
                                                + " what is free has been given back."),
                                panels));
            }
        }
        return charts;
    }

    private Chart timeline(Measurement one) {
        Recording polder = one.first(Contender.POLDER);
        List<Sample> samples = polder.samples();
        List<Line> lines = new ArrayList<>();
        lines.add(Charts.line(ASKED_FOR, Tone.GROUND, samples, Sample::usedBytes));
        for (MallocLibrary library : libraries) {
            Recording malloc = one.first(Contender.malloc(Kind.IDEAL, library));
            lines.add(
                    Charts.line(
                            Charts.term(library),
                            Charts.tone(library),
                            malloc.samples(),
                            grown(malloc)));
        }
        lines.add(
                Charts.line(
                        COMMITTED,
                        Tone.OURS_TOO,
                        samples,
                        sample -> Math.max(0, sample.committedBytes())));
        lines.add(Charts.line(RESIDENT, Tone.OURS, samples, grown(polder)));
        List<Mark> marks = new ArrayList<>();
        for (int i = 0; i < samples.size(); i++) {
            String label = MARKS.get(samples.get(i).stage());
            if (label != null) {
                marks.add(new Mark(i, label));
            }
        }
        return new TimeLine(
                new Caption(
                        "Resident memory, " + one.workload().id(),
                        one.workload().inWords()
                                + " What the process gained since the start, from step to step."),
                "",
                Unit.BYTES,
                lines,
                marks);
    }

    private static ToDoubleFunction<Sample> grown(Recording recording) {
        long base = recording.at(Stage.BASE).rssBytes();
        return sample -> Math.max(0, sample.rssBytes() - base);
    }

    private Chart bars(Figure figure) {
        List<Bar> bars = new ArrayList<>();
        for (Measurement one : measurements) {
            for (MallocLibrary library : libraries) {
                bars.add(
                        Charts.bar(
                                one.workload().term(),
                                Charts.term(library),
                                Charts.tone(library),
                                figure.ratio(one, library),
                                figure.goal(library)));
            }
        }
        return Charts.ratios(figure.chartTitle(), bars);
    }

    private static List<Panel> panels(Recording polder) {
        List<Panel> panels = new ArrayList<>();
        add("at the peak", polder.mapAt(Stage.PEAK), panels);
        add("in the valley", polder.mapAt(Stage.TRIMMED), panels);
        return panels;
    }

    private static void add(String title, Optional<PoolMap> map, List<Panel> panels) {
        map.flatMap(some -> PoolAreas.chunks(title, some)).ifPresent(panels::add);
    }
}
