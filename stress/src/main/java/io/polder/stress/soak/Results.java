package io.polder.stress.soak;

import io.polder.tools.html.Block;
import io.polder.tools.html.Chart.Caption;
import io.polder.tools.html.DataTable;
import io.polder.tools.html.HtmlReport;
import io.polder.tools.html.Page;
import io.polder.tools.html.TimeLine;
import io.polder.tools.html.TimeLine.Line;
import io.polder.tools.html.TimeLine.Point;
import io.polder.tools.html.Tone;
import io.polder.tools.html.Unit;
import io.polder.tools.result.Environment;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** What a soak leaves behind: a table for programs, and a page for people. */
final class Results {
    private static final double SECONDS_OF_MINUTE = 60;
    private static final String TITLE = "Polder soak";

    private final Path folder;
    private final List<String> facts;

    Results(Path folder, List<String> facts) {
        this.folder = folder;
        this.facts = List.copyOf(facts);
    }

    /** Where it runs, in a few words each. */
    static List<String> facts(Environment on) {
        return List.of(
                on.date().toString(),
                "commit " + on.commit(),
                on.jvm(),
                on.cpu() + ", " + on.cores() + " processors",
                on.kernel());
    }

    /**
     * Writes both, over those that were there.
     *
     * @param headline what it all comes to
     */
    void write(List<Round> rounds, List<Work> works, String headline) throws IOException {
        Files.writeString(folder.resolve("soak.csv"), csv(rounds));
        Files.writeString(folder.resolve("soak.html"), html(rounds, works, headline));
    }

    static String csv(List<Round> rounds) {
        StringBuilder csv = new StringBuilder();
        csv.append("minute,requests_per_second,rss_bytes,rss_at_rest_bytes,committed_bytes,");
        csv.append("committed_at_rest_bytes,mappings,mappings_at_rest,refusals,faults\n");
        for (Round round : rounds) {
            csv.append(
                    String.format(
                            Locale.ROOT,
                            "%.2f,%.0f,%d,%d,%d,%d,%d,%d,%d,%d%n",
                            minute(round),
                            round.requestsPerSecond(),
                            round.busy().rssBytes(),
                            round.atRest().rssBytes(),
                            round.busy().committedBytes(),
                            round.atRest().committedBytes(),
                            round.busy().mappings(),
                            round.atRest().mappings(),
                            round.refusals(),
                            round.faults()));
        }
        return csv.toString();
    }

    private String html(List<Round> rounds, List<Work> works, String headline) {
        List<Block> blocks = new ArrayList<>();
        blocks.add(
                chart(
                        "Memory",
                        "At rest all is given back but what heaps hold; busy is the most of a"
                                + " round.",
                        Unit.BYTES,
                        List.of(
                                line("RSS, busy", Tone.A, rounds, round -> round.busy().rssBytes()),
                                line(
                                        "RSS, at rest",
                                        Tone.OURS,
                                        rounds,
                                        round -> round.atRest().rssBytes()),
                                line(
                                        "committed, busy",
                                        Tone.B,
                                        rounds,
                                        round -> round.busy().committedBytes()),
                                line(
                                        "committed, at rest",
                                        Tone.OURS_TOO,
                                        rounds,
                                        round -> round.atRest().committedBytes()))));
        blocks.add(
                chart(
                        "Mappings",
                        "Of the whole process, as they count against vm.max_map_count.",
                        Unit.COUNT,
                        List.of(
                                line("busy", Tone.A, rounds, round -> round.busy().mappings()),
                                line(
                                        "at rest",
                                        Tone.OURS,
                                        rounds,
                                        round -> round.atRest().mappings()))));
        blocks.add(
                chart(
                        "Requests a second",
                        "Changes with what else the machine does; it is shown, not judged.",
                        Unit.COUNT,
                        List.of(line("requests", Tone.OURS, rounds, Round::requestsPerSecond))));
        blocks.add(
                chart(
                        "Refused",
                        "What pools refused, and system calls that were refused on purpose.",
                        Unit.COUNT,
                        List.of(
                                line("by pools", Tone.OURS, rounds, Round::refusals),
                                line("system calls", Tone.A, rounds, Round::faults))));
        blocks.add(table(works));
        Page.Section section = new Page.Section("soak", "What was seen", blocks);
        return HtmlReport.of(new Page(TITLE, headline, facts, List.of(section)));
    }

    private static DataTable table(List<Work> works) {
        List<List<String>> rows = new ArrayList<>();
        for (Work work : works) {
            rows.add(List.of(work.name(), count(work.done()), count(work.refused())));
        }
        return DataTable.ofNumbers(
                "Requests", List.of("kind", "done", "refused for want of memory"), rows);
    }

    private static String count(long value) {
        return String.format(Locale.ROOT, "%,d", value);
    }

    private static TimeLine chart(String title, String note, Unit unit, List<Line> lines) {
        return new TimeLine(new Caption(title, note), "minutes", unit, lines, List.of());
    }

    private static Line line(
            String name, Tone tone, List<Round> rounds, ToDoubleFunction<Round> y) {
        return new Line(
                name,
                tone,
                rounds.stream()
                        .map(each -> new Point(minute(each), y.applyAsDouble(each)))
                        .toList());
    }

    private static double minute(Round round) {
        return round.endSeconds() / SECONDS_OF_MINUTE;
    }
}
