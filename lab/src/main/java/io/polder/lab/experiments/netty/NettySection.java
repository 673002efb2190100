package io.polder.lab.experiments.netty;

import io.polder.lab.harness.Findings;
import io.polder.lab.report.Charts;
import io.polder.lab.report.Format;
import io.polder.lab.report.Goal;
import io.polder.lab.report.ReportSection;
import io.polder.tools.html.Bars;
import io.polder.tools.html.Bars.Bar;
import io.polder.tools.html.Chart;
import io.polder.tools.html.Chart.Caption;
import io.polder.tools.html.Latency;
import io.polder.tools.html.Latency.Curve;
import io.polder.tools.html.TimeLine;
import io.polder.tools.html.TimeLine.Line;
import io.polder.tools.html.Tone;
import io.polder.tools.html.Unit;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;

/** What a page shows of the netty experiment. */
final class NettySection {
    private NettySection() {}

    static ReportSection of(Findings found, List<Goal> goals) {
        return new ReportSection(
                headline(found), goals, List.of(memory(found), latencies(found), buffers(found)));
    }

    private static String headline(Findings found) {
        return Format.text(
                "After the load a server of Netty’s holds %s with Polder’s buffers, %s with"
                        + " adaptive ones, %s with pooled ones, and answers %s requests a second,"
                        + " %s, %s.",
                idle(found, Contender.POLDER),
                idle(found, Contender.ADAPTIVE),
                idle(found, Contender.POOLED),
                requests(found, Contender.POLDER),
                requests(found, Contender.ADAPTIVE),
                requests(found, Contender.POOLED));
    }

    private static String idle(Findings found, Contender contender) {
        return Unit.BYTES.format(found.median(contender.id() + ServerJvm.IDLE));
    }

    private static String requests(Findings found, Contender contender) {
        return Format.fixed(0, found.median(contender.id() + ServerJvm.REQUESTS));
    }

    private static Chart memory(Findings found) {
        List<ServerPoint> all = found.points(ServerPoint.class);
        List<Line> lines = new ArrayList<>();
        for (Contender contender : Contender.OF_SERVERS.reversed()) {
            lines.add(
                    Charts.line(
                            contender.term(),
                            tone(contender),
                            all.stream()
                                    .filter(point -> point.round() == 0)
                                    .filter(point -> point.contender() == contender)
                                    .toList(),
                            point -> point.millis() / 1e3,
                            point -> Math.max(0, point.rssBytes())));
        }
        return new TimeLine(
                new Caption(
                        "Resident memory of a server",
                        "Requests and answers with bodies of 1 KiB to 1 MiB, then none. What the"
                                + " process gained since the start."),
                "seconds",
                Unit.BYTES,
                lines,
                List.of());
    }

    private static Chart latencies(Findings found) {
        List<Curve> curves = new ArrayList<>();
        for (Contender contender : Contender.OF_SERVERS) {
            curves.add(
                    Curve.of(contender.term(), tone(contender), found.latencies(contender.id())));
        }
        return new Latency(
                new Caption("Requests", "From the first byte sent to the last of the answer."),
                curves);
    }

    private static Chart buffers(Findings found) {
        List<Bar> bars = new ArrayList<>();
        for (BufferPattern pattern : BufferPattern.values()) {
            for (int threads : Scale.Buffers.THREADS) {
                for (Contender other : Contender.OTHERS) {
                    bars.add(
                            Charts.bar(
                                    pattern.term(threads),
                                    other.term(),
                                    tone(other),
                                    NettyMetrics.timeRatio(found, pattern, threads, other),
                                    other == Contender.UNPOOLED
                                            ? OptionalDouble.empty()
                                            : OptionalDouble.of(NettyGoals.goal(pattern, other))));
                }
            }
        }
        return new Bars(
                new Caption(
                        "Allocating and releasing a buffer",
                        "Theirs over Polder’s: right of 1× Polder needs less time."),
                Bars.Scale.RATIO,
                Unit.TIMES,
                bars);
    }

    private static Tone tone(Contender contender) {
        return switch (contender) {
            case POLDER -> Tone.OURS;
            case ADAPTIVE -> Tone.A;
            case POOLED -> Tone.B;
            case UNPOOLED -> Tone.C;
        };
    }
}
