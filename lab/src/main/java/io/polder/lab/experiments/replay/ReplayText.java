package io.polder.lab.experiments.replay;

import io.polder.lab.experiments.replay.Sample.Mark;
import io.polder.lab.report.Report;
import io.polder.tools.terminal.Table;
import io.polder.tools.terminal.Table.Align;

import java.nio.file.Path;
import java.util.Locale;

/** What a replay prints: what was in the log, a timeline, and what the figures mean. */
final class ReplayText {
    private ReplayText() {}

    /** The whole text. */
    static String of(MetaspaceLog log, Survey survey, ReplayResult result) {
        return summary(log, survey) + "\n" + timeline(result) + "\n" + figures(survey, result);
    }

    private static String summary(MetaspaceLog log, Survey survey) {
        StringBuilder text = new StringBuilder();
        for (Path part : log.parts()) {
            text.append(shortened(part.toString())).append('\n');
        }
        text.append(
                String.format(
                        Locale.ROOT,
                        "%d lines: %d requests of %d owners, %d of which died in the log.\n",
                        survey.lines(),
                        survey.requests(),
                        survey.births(),
                        survey.deaths()));
        if (survey.cut()) {
            text.append("The last line was cut, and left out.\n");
        }
        return text.toString();
    }

    private static String timeline(ReplayResult result) {
        Table table =
                new Table()
                        .column("log time s", Align.RIGHT)
                        .column("owners", Align.RIGHT)
                        .column("used MiB", Align.RIGHT)
                        .column("committed MiB", Align.RIGHT)
                        .column("ratio", Align.RIGHT)
                        .column("RSS MiB", Align.RIGHT)
                        .column("", Align.LEFT);
        long rssBefore = result.samples().getFirst().rssBytes();
        for (Sample sample : result.samples()) {
            table.row(
                    String.format(Locale.ROOT, "%.3f", sample.nanos() / 1e9),
                    Integer.toString(sample.owners()),
                    mib(sample.usedBytes()),
                    mib(sample.committedBytes()),
                    sample.usedBytes() == 0 ? "" : times(sample.ratio()),
                    sample.rssBytes() < 0 ? "" : mib(sample.rssBytes() - rssBefore),
                    sample.mark().label());
        }
        return table.text();
    }

    private static String figures(Survey survey, ReplayResult result) {
        return String.format(
                Locale.ROOT,
                "committed / used      %s at the peak, %s in the valley\n"
                    + "committed at the end  %d bytes\n"
                    + "allocations           %.0f per second, each written to, arenas opened and"
                    + " closed\n"
                    + "Used is what living owners requested; RSS is what the process gained since"
                    + " the start.\n"
                    + "The valley is where least was used after the peak with part of the workload"
                    + " still to die.\n",
                times(result.at(Mark.PEAK).ratio()),
                times(result.at(Mark.VALLEY).ratio()),
                result.at(Mark.CLOSED).committedBytes(),
                ReplayMetrics.allocationsPerSecond(survey, result));
    }

    /** A name that fits a line; its end says more than its beginning. */
    private static String shortened(String name) {
        return name.length() <= Report.WIDTH
                ? name
                : "..." + name.substring(name.length() - Report.WIDTH + 3);
    }

    private static String mib(long bytes) {
        return String.format(Locale.ROOT, "%.1f", bytes / (double) (1 << 20));
    }

    private static String times(double ratio) {
        return String.format(Locale.ROOT, "%.2fx", ratio);
    }
}
