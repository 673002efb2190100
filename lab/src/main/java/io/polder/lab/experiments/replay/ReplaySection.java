package io.polder.lab.experiments.replay;

import io.polder.lab.experiments.replay.Sample.Mark;
import io.polder.lab.report.ReportSection;
import io.polder.tools.html.Chart;
import io.polder.tools.html.Chart.Caption;
import io.polder.tools.html.TimeLine;
import io.polder.tools.html.TimeLine.Line;
import io.polder.tools.html.TimeLine.Point;
import io.polder.tools.html.Tone;
import io.polder.tools.html.Unit;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;

/** What a page shows of a replay: memory over the time of the log. */
final class ReplaySection {
    private ReplaySection() {}

    static ReportSection of(Survey survey, ReplayResult result) {
        String headline =
                "The metaspace of this log takes "
                        + Unit.TIMES.format(result.at(Mark.PEAK).ratio())
                        + " of what its "
                        + survey.births()
                        + " owners asked for at the peak, "
                        + Unit.TIMES.format(result.at(Mark.VALLEY).ratio())
                        + " in the valley.";
        return new ReportSection(headline, List.of(), List.of(timeline(result)));
    }

    private static Chart timeline(ReplayResult result) {
        List<Sample> samples = result.samples();
        long rssBefore = samples.getFirst().rssBytes();
        List<Line> lines = new ArrayList<>();
        lines.add(line("used", Tone.GROUND, samples, Sample::usedBytes));
        lines.add(line("committed", Tone.OURS, samples, Sample::committedBytes));
        if (samples.stream().allMatch(sample -> sample.rssBytes() >= 0)) {
            lines.add(
                    line(
                            "RSS",
                            Tone.OURS_TOO,
                            samples,
                            sample -> Math.max(0, sample.rssBytes() - rssBefore)));
        }
        return new TimeLine(
                new Caption(
                        "Memory over the time of the log",
                        "Used: what living owners asked for. RSS: what the process gained since the"
                                + " start."),
                "seconds since the start of the JVM that wrote the log",
                Unit.BYTES,
                lines,
                List.of());
    }

    private static Line line(
            String name, Tone tone, List<Sample> samples, ToLongFunction<Sample> bytes) {
        return new Line(
                name,
                tone,
                samples.stream()
                        .map(
                                sample ->
                                        new Point(
                                                sample.nanos() / 1e9,
                                                (double) bytes.applyAsLong(sample)))
                        .toList());
    }
}
