package io.polder.lab.experiments.evacuation;

import io.polder.lab.experiments.evacuation.Scale.GatePlan;
import io.polder.lab.experiments.evacuation.ShiftPoint.Value;
import io.polder.lab.report.Charts;
import io.polder.lab.report.Format;
import io.polder.lab.report.Goal;
import io.polder.lab.report.ReportSection;
import io.polder.tools.html.Bars;
import io.polder.tools.html.Bars.Bar;
import io.polder.tools.html.Bars.Scale;
import io.polder.tools.html.Chart;
import io.polder.tools.html.Chart.Caption;
import io.polder.tools.html.Latency;
import io.polder.tools.html.Latency.Curve;
import io.polder.tools.html.Term;
import io.polder.tools.html.TimeLine;
import io.polder.tools.html.TimeLine.Line;
import io.polder.tools.html.TimeLine.Mark;
import io.polder.tools.html.TimeLine.Point;
import io.polder.tools.html.Tone;
import io.polder.tools.html.Unit;

import org.HdrHistogram.Histogram;

import java.util.ArrayList;
import java.util.List;

/** What a page shows of the evacuation experiment: memory while sizes shift, latencies, gates. */
final class EvacuationSection {
    private static final Term LIVE = new Term("live", "Bytes of values that live.");
    private static final Term HEAP =
            new Term(
                    "Polder’s heap", "A relocating heap, with the settings that it has by itself.");
    private static final Term MALLOC =
            new Term("malloc", "The C library: each value is its own malloc, and stays in place.");
    private static final Term CONTROL =
            new Term("control", "Copies of as many bytes, without a heap.");

    private EvacuationSection() {}

    static ReportSection of(Results results, List<Goal> goals) {
        return new ReportSection(
                headline(results),
                goals,
                List.of(shift(results), operations(results), writes(results), gates(results)));
    }

    private static String headline(Results results) {
        return Format.text(
                "When sizes of values shift, at least %.0f\u00a0%% of the heap’s resident memory is"
                        + " live, %.0f\u00a0%% of malloc’s; a pass through a gate takes %s.",
                results.shift(ShiftContender.HEAP).liveOverRss() * 100,
                results.shift(ShiftContender.MALLOC).liveOverRss() * 100,
                Unit.NANOS.format(results.gates().median(GateContender.SLOT.samples(1))));
    }

    private static Chart shift(Results results) {
        List<ShiftPoint> heap =
                results.shift(ShiftContender.HEAP).findings().points(ShiftPoint.class);
        List<ShiftPoint> malloc =
                results.shift(ShiftContender.MALLOC).findings().points(ShiftPoint.class);
        List<Mark> marks = new ArrayList<>();
        for (ShiftPhase phase : ShiftPhase.values()) {
            marks.add(new Mark(marks.size() + 1.0, phase.shortTitle()));
        }
        return new TimeLine(
                new Caption(
                        "Resident memory while sizes shift",
                        "Phases A to D write 100 to 500 B, 1 to 5 KiB, 20 to 60 KiB and 50 to 150"
                                + " B; then 5 % are kept, then none. Each ends with a rest."),
                "",
                Unit.BYTES,
                List.of(
                        line(LIVE, Tone.GROUND, heap, Value.LIVE_BYTES),
                        line(MALLOC, Tone.A, malloc, Value.RSS_BYTES),
                        line(HEAP, Tone.OURS, heap, Value.RSS_BYTES)),
                marks);
    }

    /** All phases are as wide, whatever time they take, and their points are spread over them. */
    private static Line line(Term what, Tone tone, List<ShiftPoint> all, Value value) {
        List<Point> points = new ArrayList<>();
        points.add(new Point(0, 0));
        int begin = 0;
        for (ShiftPhase phase : ShiftPhase.values()) {
            List<ShiftPoint> inside = all.stream().filter(p -> p.phase() == phase).toList();
            for (int i = 0; i < inside.size(); i++) {
                points.add(
                        new Point(
                                begin + (i + 1.0) / inside.size(),
                                (double) Math.max(0, inside.get(i).get(value))));
            }
            begin++;
        }
        return new Line(what, tone, points);
    }

    private static Chart operations(Results results) {
        List<Curve> curves = new ArrayList<>();
        for (GateKind gate : List.of(GateKind.SLOT, GateKind.STRIPED, GateKind.SINGLE)) {
            Histogram nanos = results.traffic(gate).latencies(TrafficJvm.LATENCIES);
            GateContender contender = gate.contender();
            curves.add(Curve.of(contender.term(), tone(contender), nanos));
        }
        Histogram control = results.traffic(GateKind.SLOT).latencies(TrafficJvm.CONTROL);
        curves.add(Curve.of(CONTROL, Tone.F, control));
        return new Latency(
                new Caption(
                        "Operations while the heap is compacted",
                        "From when one was to arrive; control: plain copies, which show what the"
                                + " machine adds."),
                curves);
    }

    private static Chart writes(Results results) {
        return new Latency(
                new Caption(
                        "Writing a value while sizes shift",
                        "Allocate and fill, with whatever the contender does meanwhile."),
                List.of(
                        Curve.of(HEAP, Tone.OURS, puts(results, ShiftContender.HEAP)),
                        Curve.of(MALLOC, Tone.A, puts(results, ShiftContender.MALLOC))));
    }

    private static Histogram puts(Results results, ShiftContender contender) {
        return results.shift(contender).findings().latencies(ShiftJvm.PUTS);
    }

    private static Chart gates(Results results) {
        List<Bar> bars = new ArrayList<>();
        for (int threads : GatePlan.THREADS) {
            for (GateContender contender : GateContender.values()) {
                bars.add(
                        Charts.bar(
                                threads(threads),
                                contender.term(),
                                tone(contender),
                                results.gates().quartiles(contender.samples(threads))));
            }
        }
        return new Bars(
                new Caption(
                        "Entering and leaving a gate",
                        "Time of a processor for one pass; a thin line spans the middle half of all"
                                + " rounds."),
                Scale.LINEAR,
                Unit.NANOS,
                bars);
    }

    private static Term threads(int count) {
        return count == 1
                ? new Term("1 thread", "One thread enters and leaves, and there is no other.")
                : new Term(count + " threads", "So many threads enter and leave the same gate.");
    }

    private static Tone tone(GateContender contender) {
        return switch (contender) {
            case SINGLE -> Tone.A;
            case STRIPED -> Tone.C;
            case SLOT -> Tone.OURS;
            case ACCESSOR -> Tone.OURS_THIRD;
        };
    }
}
