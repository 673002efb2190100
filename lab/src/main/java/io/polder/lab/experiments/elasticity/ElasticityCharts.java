package io.polder.lab.experiments.elasticity;

import io.polder.lab.experiments.elasticity.Contender.Kind;
import io.polder.lab.harness.Quartiles;
import io.polder.tools.html.Bars;
import io.polder.tools.html.Bars.Bar;
import io.polder.tools.html.Bars.Scale;
import io.polder.tools.html.Bars.Spread;
import io.polder.tools.html.Chart;
import io.polder.tools.html.Chart.Caption;
import io.polder.tools.html.MemoryMap;
import io.polder.tools.html.MemoryMap.Panel;
import io.polder.tools.html.PoolMap;
import io.polder.tools.html.TimeLine;
import io.polder.tools.html.TimeLine.Line;
import io.polder.tools.html.TimeLine.Mark;
import io.polder.tools.html.TimeLine.Point;
import io.polder.tools.html.Tone;
import io.polder.tools.html.Unit;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToDoubleFunction;

/** Charts of the elasticity experiment: memory over time, ratios, and maps of Polder's chunks. */
final class ElasticityCharts {
    /** Workloads whose maps are shown: the published one, and the one with the most owners. */
    private static final Set<String> MAPPED = Set.of("5x80x100", "5x8000x1");

    /** Stages that have a name on a chart. */
    private static final Map<Stage, String> MARKS =
            new EnumMap<>(
                    Map.of(
                            Stage.PEAK, "peak",
                            Stage.TRIMMED, "valley",
                            Stage.AGAIN, "again",
                            Stage.END, "end"));

    private ElasticityCharts() {}

    static List<Chart> of(List<Measurement> measurements, Set<MallocLibrary> libraries) {
        List<Chart> charts = new ArrayList<>();
        for (Measurement measurement : measurements) {
            charts.add(timeline(measurement, libraries));
        }
        for (Figure figure : Figure.ALL) {
            charts.add(bars(measurements, libraries, figure));
        }
        for (Measurement measurement : measurements) {
            List<Panel> panels = panels(measurement);
            if (MAPPED.contains(measurement.workload().id()) && !panels.isEmpty()) {
                charts.add(
                        new MemoryMap(
                                new Caption(
                                        "Polder’s chunks, " + measurement.workload().id(),
                                        "By address, from left to right, then down. In the valley"
                                                + " what is free has been given back."),
                                panels));
            }
        }
        return charts;
    }

    private static Chart timeline(Measurement measurement, Set<MallocLibrary> libraries) {
        Recording polder = measurement.first(Contender.POLDER);
        List<Line> lines = new ArrayList<>();
        lines.add(line("asked for", Tone.GROUND, polder, sample -> sample.usedBytes()));
        for (MallocLibrary library : libraries) {
            Recording malloc = measurement.first(Contender.malloc(Kind.IDEAL, library));
            lines.add(line(library.id(), tone(library), malloc, grown(malloc)));
        }
        lines.add(
                line(
                        "Polder, committed",
                        Tone.OURS_TOO,
                        polder,
                        sample -> Math.max(0, sample.committedBytes())));
        lines.add(line("Polder", Tone.OURS, polder, grown(polder)));
        return new TimeLine(
                new Caption(
                        "Resident memory, " + measurement.workload().id(),
                        measurement.workload().inWords()
                                + " What the process gained since the start, from step to step."),
                "",
                Unit.BYTES,
                lines,
                marks(polder));
    }

    private static ToDoubleFunction<Sample> grown(Recording recording) {
        long base = recording.at(Stage.BASE).rssBytes();
        return sample -> Math.max(0, sample.rssBytes() - base);
    }

    private static Line line(
            String name, Tone tone, Recording recording, ToDoubleFunction<Sample> bytes) {
        List<Point> points = new ArrayList<>();
        for (Sample sample : recording.samples()) {
            points.add(new Point(points.size(), bytes.applyAsDouble(sample)));
        }
        return new Line(name, tone, points);
    }

    private static List<Mark> marks(Recording recording) {
        List<Mark> marks = new ArrayList<>();
        List<Sample> samples = recording.samples();
        for (int i = 0; i < samples.size(); i++) {
            String label = MARKS.get(samples.get(i).stage());
            if (label != null) {
                marks.add(new Mark(i, label));
            }
        }
        return marks;
    }

    private static Chart bars(
            List<Measurement> measurements, Set<MallocLibrary> libraries, Figure figure) {
        List<Bar> bars = new ArrayList<>();
        for (Measurement measurement : measurements) {
            for (MallocLibrary library : libraries) {
                Quartiles ratio = figure.ratio(measurement, library);
                bars.add(
                        new Bar(
                                measurement.workload().id(),
                                library.id(),
                                tone(library),
                                new Spread(ratio.lower(), ratio.median(), ratio.upper()),
                                figure.goal(library)));
            }
        }
        return new Bars(
                new Caption(figure.chartTitle(), "Right of 1× Polder needs less."),
                Scale.RATIO,
                Unit.TIMES,
                bars);
    }

    private static List<Panel> panels(Measurement measurement) {
        Recording polder = measurement.first(Contender.POLDER);
        List<Panel> panels = new ArrayList<>();
        PoolMap.chunks("at the peak", polder.mapAt(Stage.PEAK)).ifPresent(panels::add);
        PoolMap.chunks("in the valley", polder.mapAt(Stage.TRIMMED)).ifPresent(panels::add);
        return panels;
    }

    private static Tone tone(MallocLibrary library) {
        return switch (library) {
            case GLIBC -> Tone.A;
            case JEMALLOC -> Tone.B;
            case MIMALLOC -> Tone.C;
        };
    }
}
