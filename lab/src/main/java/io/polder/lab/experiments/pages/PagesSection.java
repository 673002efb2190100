package io.polder.lab.experiments.pages;

import io.polder.lab.experiments.pages.Latencies.Group;
import io.polder.lab.harness.Findings;
import io.polder.lab.report.Charts;
import io.polder.lab.report.ReportSection;
import io.polder.tools.html.Bars;
import io.polder.tools.html.Bars.Scale;
import io.polder.tools.html.Chart;
import io.polder.tools.html.Chart.Caption;
import io.polder.tools.html.Latency;
import io.polder.tools.html.Latency.Curve;
import io.polder.tools.html.Term;
import io.polder.tools.html.TimeLine;
import io.polder.tools.html.TimeLine.Line;
import io.polder.tools.html.Tone;
import io.polder.tools.html.Unit;

import org.HdrHistogram.Histogram;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What a page shows of the pages experiment: latencies, memory over time, assembly alone. */
final class PagesSection {
    private static final String FILLED = "times that the medium objects were filled up";

    private static final Term LIVE = new Term("live", "Bytes of objects that live.");
    private static final Term COMMITTED =
            new Term("committed", "Memory behind pages, taken or free.");
    private static final Term READY =
            new Term("ready", "Free memory in contiguous runs of 32 MiB and more.");
    private static final Term REMAP =
            new Term("remap", "Page tables are moved, as the library does it, by mremap.");
    private static final Term MAP =
            new Term("unmap and map", "Parts of a file are unmapped and mapped, as ZGC does it.");
    private static final Term CALLS = new Term("calls", "The system calls alone.");
    private static final Term TOUCH =
            new Term("first touch", "Writing a word into each page of the system afterwards.");

    private PagesSection() {}

    static ReportSection of(List<Measurement> measurements, Findings assemblies) {
        Optional<Measurement> polder =
                measurements.stream().filter(Measurement::isPolder).findFirst();
        List<Chart> charts = new ArrayList<>();
        charts.add(takes(measurements));
        polder.map(PagesSection::groups).ifPresent(charts::add);
        polder.map(PagesSection::heap).ifPresent(charts::add);
        charts.add(assembled(measurements));
        charts.add(ready(measurements));
        charts.add(assembly(assemblies));
        return new ReportSection(
                polder.map(PagesSection::headline).orElse(""),
                polder.map(ours -> PagesMetrics.goals(ours, assemblies)).orElse(List.of()),
                charts);
    }

    private static String headline(Measurement polder) {
        Histogram all = polder.latencies().all();
        double assembled = polder.assembledOnAllocation();
        return "Taking a page takes "
                + Unit.NANOS.format(all.getMean())
                + " on average and "
                + Unit.NANOS.format((double) all.getMaxValue())
                + " at worst; "
                + (assembled == 0
                        ? "no thread that took one had to assemble it."
                        : Unit.COUNT.format(assembled)
                                + " had to be assembled by a taking thread.");
    }

    private static Chart takes(List<Measurement> measurements) {
        List<Curve> curves = new ArrayList<>();
        for (Measurement measurement : measurements) {
            Contender contender = measurement.contender();
            addCurve(curves, contender.term(), tone(contender), measurement.latencies().all());
        }
        return new Latency(
                new Caption("Time to take a page", "All takes of all rounds, by percentile."),
                curves);
    }

    private static Chart groups(Measurement polder) {
        List<Tone> tones = List.of(Tone.OURS, Tone.OURS_TOO, Tone.B);
        List<Curve> curves = new ArrayList<>();
        for (int i = 0; i < Group.TAKERS.size(); i++) {
            Group group = Group.TAKERS.get(i);
            addCurve(curves, group.term(), tones.get(i), polder.latencies().of(group));
        }
        Group control = Group.CONTROL;
        addCurve(curves, control.term(), Tone.F, polder.latencies().of(control));
        return new Latency(
                new Caption(
                        "Who takes what in Polder",
                        "Control is no take, but 32 reads that miss the caches: what is unusual in"
                                + " it is the machine’s."),
                curves);
    }

    private static void addCurve(List<Curve> curves, Term what, Tone tone, Histogram nanos) {
        if (nanos.getTotalCount() > 0) {
            curves.add(Curve.of(what, tone, nanos));
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
                        line(LIVE, Tone.GROUND, polder, Point.Value.LIVE_BYTES),
                        line(COMMITTED, Tone.OURS, polder, Point.Value.COMMITTED_BYTES),
                        line(READY, Tone.OURS_TOO, polder, Point.Value.READY_BYTES)),
                List.of());
    }

    private static Chart assembled(List<Measurement> measurements) {
        return new TimeLine(
                new Caption(
                        "Assembled by the taking thread",
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
                .map(m -> line(m.contender().term(), tone(m.contender()), m, value))
                .toList();
    }

    private static Line line(Term what, Tone tone, Measurement measurement, Point.Value value) {
        return Charts.line(
                what,
                tone,
                measurement.recordings().getFirst().points(),
                point -> point.get(Point.Value.PART) / (double) WorkloadRun.PARTS,
                point -> point.get(value));
    }

    private static Chart assembly(Findings found) {
        return new Bars(
                new Caption(
                        "Making 32 MiB contiguous, of 16 granules that lie apart",
                        "Medians; a thin line spans the middle half of all turns."),
                Scale.LINEAR,
                Unit.NANOS,
                List.of(
                        Charts.bar(REMAP, CALLS, Tone.OURS, found.quartiles(AssemblyJvm.REMAP)),
                        Charts.bar(
                                REMAP, TOUCH, Tone.OURS, found.quartiles(AssemblyJvm.REMAP_TOUCH)),
                        Charts.bar(MAP, CALLS, Tone.C, found.quartiles(AssemblyJvm.MAP)),
                        Charts.bar(MAP, TOUCH, Tone.C, found.quartiles(AssemblyJvm.MAP_TOUCH))));
    }

    private static Tone tone(Contender contender) {
        return switch (contender) {
            case POLDER -> Tone.OURS;
            case POLDER_32M -> Tone.OURS_TOO;
            case NO_DEFRAGMENTER -> Tone.A;
            case NO_DEFRAGMENTER_32M -> Tone.B;
            case UNMAP_MAP -> Tone.C;
            case NO_REMAP -> Tone.D;
            case TYPED -> Tone.E;
        };
    }
}
