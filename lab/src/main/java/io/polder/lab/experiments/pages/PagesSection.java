package io.polder.lab.experiments.pages;

import io.polder.lab.experiments.pages.Latencies.Group;
import io.polder.lab.harness.Findings;
import io.polder.lab.harness.Quartiles;
import io.polder.lab.report.ReportSection;
import io.polder.tools.html.Bars;
import io.polder.tools.html.Bars.Bar;
import io.polder.tools.html.Bars.Scale;
import io.polder.tools.html.Bars.Spread;
import io.polder.tools.html.Chart;
import io.polder.tools.html.Chart.Caption;
import io.polder.tools.html.Latency;
import io.polder.tools.html.Latency.Curve;
import io.polder.tools.html.TimeLine;
import io.polder.tools.html.TimeLine.Line;
import io.polder.tools.html.Tone;
import io.polder.tools.html.Unit;

import org.HdrHistogram.Histogram;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/** What a page shows of the pages experiment: latencies, memory over time, assembly alone. */
final class PagesSection {
    private static final String FILLED = "times that the medium objects were filled up";

    private PagesSection() {}

    static ReportSection of(List<Measurement> measurements, Findings assemblies) {
        Optional<Measurement> polder =
                measurements.stream()
                        .filter(measurement -> measurement.contender() == Contender.POLDER)
                        .findFirst();
        List<Chart> charts = new ArrayList<>();
        charts.add(takes(measurements));
        polder.map(PagesSection::groups).ifPresent(charts::add);
        polder.map(PagesSection::heap).ifPresent(charts::add);
        charts.add(assembled(measurements));
        charts.add(ready(measurements));
        charts.add(assembly(assemblies));
        return new ReportSection(
                polder.map(PagesSection::headline).orElse(""),
                polder.map(ours -> PagesGoals.list(ours, assemblies)).orElse(List.of()),
                charts);
    }

    private static String headline(Measurement polder) {
        Histogram all = polder.latencies().all();
        double assembled = PagesMetrics.assembledOnAllocation(polder);
        return "Taking a page takes "
                + Unit.NANOS.format(all.getMean())
                + " on average and "
                + Unit.NANOS.format((double) all.getMaxValue())
                + " at worst; "
                + (assembled == 0
                        ? "nobody who took one had to assemble it."
                        : Unit.COUNT.format(assembled) + " had to be assembled by who took them.");
    }

    private static Chart takes(List<Measurement> measurements) {
        List<Curve> curves =
                measurements.stream()
                        .filter(measurement -> measurement.latencies().all().getTotalCount() > 0)
                        .map(
                                measurement ->
                                        Curve.of(
                                                measurement.contender().id(),
                                                tone(measurement.contender()),
                                                measurement.latencies().all()))
                        .toList();
        return new Latency(
                new Caption("Time to take a page", "All takes of all rounds, by percentile."),
                curves);
    }

    private static Chart groups(Measurement polder) {
        List<Tone> tones = List.of(Tone.OURS, Tone.OURS_TOO, Tone.B);
        List<Curve> curves = new ArrayList<>();
        for (int i = 0; i < Group.TAKERS.size(); i++) {
            addCurve(curves, polder, Group.TAKERS.get(i), tones.get(i));
        }
        addCurve(curves, polder, Group.CONTROL, Tone.F);
        return new Latency(
                new Caption(
                        "Who takes what in Polder",
                        "Control is no take, but 32 reads that miss the caches: what is unusual in"
                                + " it is the machine’s."),
                curves);
    }

    private static void addCurve(List<Curve> curves, Measurement polder, Group group, Tone tone) {
        Histogram nanos = polder.latencies().of(group);
        if (nanos.getTotalCount() > 0) {
            curves.add(Curve.of(group.title(), tone, nanos));
        }
    }

    private static Chart heap(Measurement polder) {
        return new TimeLine(
                new Caption(
                        "Polder’s heap",
                        "Live objects, the pages’ memory, and what of it is free in runs of 32 MiB"
                                + " and more."),
                FILLED,
                Unit.BYTES,
                List.of(
                        line("live", Tone.GROUND, polder, Point.Value.LIVE_BYTES),
                        line("committed", Tone.OURS, polder, Point.Value.COMMITTED_BYTES),
                        line("ready", Tone.OURS_TOO, polder, Point.Value.READY_BYTES)),
                List.of());
    }

    private static Chart assembled(List<Measurement> measurements) {
        return new TimeLine(
                new Caption(
                        "Assembled by who takes a page",
                        "Sum so far; typed: how often it flushed."),
                FILLED,
                Unit.COUNT,
                lines(measurements, Point.Value.ASSEMBLED_ON_ALLOCATION),
                List.of());
    }

    private static Chart ready(List<Measurement> measurements) {
        return new TimeLine(
                new Caption(
                        "Memory of the pages",
                        "Committed by each contender; the budget is the same for all."),
                FILLED,
                Unit.BYTES,
                lines(measurements, Point.Value.COMMITTED_BYTES),
                List.of());
    }

    private static List<Line> lines(List<Measurement> measurements, Point.Value value) {
        return measurements.stream()
                .map(
                        measurement ->
                                line(
                                        measurement.contender().id(),
                                        tone(measurement.contender()),
                                        measurement,
                                        value))
                .toList();
    }

    private static Line line(String name, Tone tone, Measurement measurement, Point.Value value) {
        return new Line(
                name,
                tone,
                measurement.recordings().getFirst().points().stream()
                        .map(
                                point ->
                                        new TimeLine.Point(
                                                point.get(Point.Value.PART)
                                                        / (double) WorkloadRun.PARTS,
                                                (double) point.get(value)))
                        .toList());
    }

    private static Chart assembly(Findings assemblies) {
        return new Bars(
                new Caption(
                        "Making 32 MiB contiguous, of 16 granules that lie apart",
                        "Medians; a thin line spans the middle half of all turns."),
                Scale.LINEAR,
                Unit.NANOS,
                List.of(
                        bar("remap", "calls", Tone.OURS, assemblies.quartiles(AssemblyJvm.REMAP)),
                        bar(
                                "remap",
                                "first touch",
                                Tone.OURS,
                                assemblies.quartiles(AssemblyJvm.REMAP_TOUCH)),
                        bar(
                                "unmap and map",
                                "calls",
                                Tone.C,
                                assemblies.quartiles(AssemblyJvm.MAP)),
                        bar(
                                "unmap and map",
                                "first touch",
                                Tone.C,
                                assemblies.quartiles(AssemblyJvm.MAP_TOUCH))));
    }

    private static Bar bar(String label, String who, Tone tone, Quartiles nanos) {
        return new Bar(
                label,
                who,
                tone,
                new Spread(nanos.lower(), nanos.median(), nanos.upper()),
                OptionalDouble.empty());
    }

    private static Tone tone(Contender contender) {
        return switch (contender) {
            case POLDER -> Tone.OURS;
            case POLDER_32M -> Tone.OURS_TOO;
            case NO_BALANCER -> Tone.A;
            case NO_BALANCER_32M -> Tone.B;
            case UNMAP_MAP -> Tone.C;
            case NO_REMAP -> Tone.D;
            case TYPED -> Tone.E;
        };
    }
}
