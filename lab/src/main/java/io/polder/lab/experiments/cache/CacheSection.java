package io.polder.lab.experiments.cache;

import io.polder.lab.harness.Quartiles;
import io.polder.lab.report.Charts;
import io.polder.lab.report.Format;
import io.polder.lab.report.Goal;
import io.polder.lab.report.ReportSection;
import io.polder.tools.html.Bars;
import io.polder.tools.html.Bars.Bar;
import io.polder.tools.html.Chart;
import io.polder.tools.html.Chart.Caption;
import io.polder.tools.html.TimeLine;
import io.polder.tools.html.TimeLine.Line;
import io.polder.tools.html.TimeLine.Mark;
import io.polder.tools.html.Unit;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** What a page shows of the cache experiment. */
final class CacheSection {
    private CacheSection() {}

    static ReportSection of(Results results, List<Goal> goals) {
        return new ReportSection(
                headline(results),
                goals,
                List.of(memory(results), ratios(results), speed(results)));
    }

    private static String headline(Results results) {
        return "After 95 % of the entries were removed, what is resident is so many times what is"
                + " live: "
                + results.measured().stream()
                        .map(
                                one ->
                                        one.term().name()
                                                + " "
                                                + Charts.times2(
                                                        results.rssOverLive(one, Phase.DELETED95)))
                        .collect(Collectors.joining(", "))
                + ".";
    }

    private static Chart memory(Results results) {
        List<CachePoint> all = results.found().points(CachePoint.class);
        List<Line> lines = new ArrayList<>();
        for (Contender contender : results.measured().reversed()) {
            lines.add(
                    Charts.line(
                            contender.term(),
                            contender.tone(),
                            all.stream().filter(point -> point.contender() == contender).toList(),
                            CachePoint::done,
                            point -> Math.max(0, point.rssBytes())));
        }
        return new TimeLine(
                new Caption(
                        "Resident memory of a cache",
                        Format.text(
                                "Limit %s. Each phase is as wide as any other, however long it"
                                        + " took. What the process gained since the start.",
                                Unit.BYTES.format((double) results.scale().memory().limit()))),
                "phases",
                Unit.BYTES,
                lines,
                Arrays.stream(Phase.values())
                        .map(phase -> new Mark(phase.number(), phase.id()))
                        .toList());
    }

    private static Chart ratios(Results results) {
        List<Bar> bars = new ArrayList<>();
        for (Phase phase : Phase.WITH_ENTRIES) {
            for (Contender contender : results.measured()) {
                double ratio = results.rssOverLive(contender, phase);
                bars.add(
                        Charts.bar(
                                phase.term(),
                                contender.term(),
                                contender.tone(),
                                new Quartiles(ratio, ratio, ratio)));
            }
        }
        return new Bars(
                new Caption("Resident bytes over live bytes", "At 1× nothing is lost."),
                Bars.Scale.RATIO,
                Unit.TIMES,
                bars);
    }

    private static Chart speed(Results results) {
        int entries = results.scale().traffic().most();
        List<Bar> bars = new ArrayList<>();
        for (Mix mix : Mix.values()) {
            for (Contender contender : results.timed()) {
                bars.add(
                        Charts.bar(
                                mix.term(),
                                contender.term(),
                                contender.tone(),
                                results.perSecond(contender, entries, mix)));
            }
        }
        return new Bars(
                new Caption(
                        "Operations a second",
                        Format.text("Two threads, %,d entries, Zipf.", entries)),
                Bars.Scale.LINEAR,
                Unit.COUNT,
                bars);
    }
}
