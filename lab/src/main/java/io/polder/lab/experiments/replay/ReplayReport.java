package io.polder.lab.experiments.replay;

import static io.polder.lab.report.Format.fixed;
import static io.polder.lab.report.Format.times2;

import io.polder.lab.experiments.replay.Sample.Mark;
import io.polder.lab.report.Charts;
import io.polder.lab.report.Format;
import io.polder.lab.report.Metric;
import io.polder.lab.report.Metrics;
import io.polder.lab.report.Report;
import io.polder.lab.report.ReportSection;
import io.polder.tools.html.Chart;
import io.polder.tools.html.Chart.Caption;
import io.polder.tools.html.Term;
import io.polder.tools.html.TimeLine;
import io.polder.tools.html.TimeLine.Line;
import io.polder.tools.html.Tone;
import io.polder.tools.html.Unit;
import io.polder.tools.terminal.Columns;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * What a replay says: what was in the log, memory over its time, and what the figures mean.
 *
 * @param log that was replayed
 * @param survey of it
 * @param result of the replay
 */
record ReplayReport(MetaspaceLog log, Survey survey, ReplayResult result) {
    private static final Metrics<ReplayReport> METRICS =
            new Metrics<ReplayReport>()
                    .lower(
                            "replay.peak_committed_over_used",
                            Metric.TIMES,
                            report -> report.ratio(Mark.PEAK))
                    .lower(
                            "replay.valley_committed_over_used",
                            Metric.TIMES,
                            report -> report.ratio(Mark.VALLEY))
                    .lower("replay.final_committed_bytes", "bytes", ReplayReport::endBytes)
                    .higher(
                            "replay.allocations_per_second",
                            "1/s",
                            ReplayReport::allocationsPerSecond);

    private static final Term USED =
            new Term("used", "Bytes that living owners have requested, by the log.");
    private static final Term COMMITTED =
            new Term("committed", "Memory that Polder has of the system, as it counts it.");
    private static final Term RSS =
            new Term("RSS", "What the resident memory of the process gained since the start.");

    /** Names of the metrics, on which other programs rely. */
    static List<String> metricNames() {
        return METRICS.names();
    }

    Report of(List<String> jvmArgs) {
        String headline =
                Format.text(
                        "The metaspace of this log takes %s of what its %d owners asked for at the"
                                + " peak, %s in the valley.",
                        Unit.TIMES.format(ratio(Mark.PEAK)),
                        survey.births(),
                        Unit.TIMES.format(ratio(Mark.VALLEY)));
        return new Report(
                METRICS.of(this),
                String.join("\n", summary(), table(), figures()),
                jvmArgs,
                new ReportSection(headline, List.of(), List.of(timeline())));
    }

    private double ratio(Mark mark) {
        return result.at(mark).ratio();
    }

    private double endBytes() {
        return result.at(Mark.CLOSED).committedBytes();
    }

    /** Requests, by the time that they took together with opening and closing their arenas. */
    private double allocationsPerSecond() {
        return survey.requests() * 1e9 / Math.max(1, result.eventNanos());
    }

    private long rssBefore() {
        return result.samples().getFirst().rssBytes();
    }

    private String summary() {
        StringBuilder text = new StringBuilder();
        for (Path part : log.parts()) {
            text.append(shortened(part.toString())).append('\n');
        }
        text.append(
                Format.text(
                        "%d lines: %d requests of %d owners, %d of which died in the log.\n",
                        survey.lines(), survey.requests(), survey.births(), survey.deaths()));
        return text.append(survey.cut() ? "The last line was cut, and left out.\n" : "").toString();
    }

    private String table() {
        return new Columns<Sample>()
                .number("log time s", sample -> fixed(3, sample.nanos() / 1e9))
                .number("owners", sample -> Integer.toString(sample.owners()))
                .number("used MiB", sample -> mib(sample.usedBytes()))
                .number("committed MiB", sample -> mib(sample.committedBytes()))
                .number("ratio", sample -> sample.usedBytes() == 0 ? "" : times2(sample.ratio()))
                .number(
                        "RSS MiB",
                        sample -> sample.rssBytes() < 0 ? "" : mib(sample.rssBytes() - rssBefore()))
                .words("", sample -> sample.mark().label())
                .table(result.samples());
    }

    private static String mib(long bytes) {
        return Format.mebibytes(1, (double) bytes);
    }

    private String figures() {
        return Format.text(
                """
                committed / used      %s at the peak, %s in the valley
                committed at the end  %.0f bytes
                allocations           %.0f per second, each written to, arenas opened and closed
                Used is what living owners requested; RSS is what the process gained since the \
                start.
                The valley is where least was used after the peak with part of the workload still \
                to die.
                """,
                times2(ratio(Mark.PEAK)),
                times2(ratio(Mark.VALLEY)),
                endBytes(),
                allocationsPerSecond());
    }

    /** A name that fits a line; its end says more than its beginning. */
    private static String shortened(String name) {
        return name.length() <= Report.WIDTH
                ? name
                : "..." + name.substring(name.length() - Report.WIDTH + 3);
    }

    private Chart timeline() {
        List<Line> lines = new ArrayList<>();
        lines.add(line(USED, Tone.GROUND, Sample::usedBytes));
        lines.add(line(COMMITTED, Tone.OURS, Sample::committedBytes));
        if (result.samples().stream().allMatch(sample -> sample.rssBytes() >= 0)) {
            lines.add(
                    line(
                            RSS,
                            Tone.OURS_TOO,
                            sample -> Math.max(0, sample.rssBytes() - rssBefore())));
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

    private Line line(Term what, Tone tone, ToDoubleFunction<Sample> bytes) {
        return Charts.line(what, tone, result.samples(), sample -> sample.nanos() / 1e9, bytes);
    }
}
