package io.polder.lab.experiments.fragmentation;

import io.polder.lab.experiments.fragmentation.SmallThenLarge.Moment;
import io.polder.lab.experiments.fragmentation.SmallThenLarge.Outcome;
import io.polder.lab.report.Format;
import io.polder.lab.report.Goal;
import io.polder.lab.report.Metrics;
import io.polder.lab.report.Report;
import io.polder.lab.report.ReportSection;
import io.polder.tools.html.Bars;
import io.polder.tools.html.Bars.Bar;
import io.polder.tools.html.Bars.Scale;
import io.polder.tools.html.Bars.Spread;
import io.polder.tools.html.Chart;
import io.polder.tools.html.Chart.Caption;
import io.polder.tools.html.MemoryMap;
import io.polder.tools.html.MemoryMap.Panel;
import io.polder.tools.html.Term;
import io.polder.tools.html.Tone;
import io.polder.tools.html.Unit;
import io.polder.tools.terminal.Columns;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.stream.Collectors;

/**
 * What the fragmentation experiment says: a table and bars, and a map of each policy over time.
 *
 * @param outcomes of all policies; the last one is Polder's
 */
record FragmentationReport(List<Outcome> outcomes) {
    /** Share of the budget that Polder is to reach. */
    private static final double GOAL = 0.99;

    /** What the policies are, by their ids. */
    private static final Map<String, String> WORDS =
            Map.of(
                    "size_locked",
                    "A model of metaspace before 2018: chunks of 1, 2 and 32 KiB keep their size"
                            + " for ever.",
                    "split_merge",
                    "A model of the patch of JDK-8198423: free chunks are split, and merged where"
                            + " an area is free as a whole.",
                    "polder",
                    "The library: a pool with that budget, and a confined arena for each owner.");

    /** Copies the list. */
    FragmentationReport {
        outcomes = List.copyOf(outcomes);
    }

    /** The metrics of some policies. */
    static Metrics<FragmentationReport> metrics(List<String> ids) {
        Metrics<FragmentationReport> metrics = new Metrics<>();
        for (int i = 0; i < ids.size(); i++) {
            int policy = i;
            metrics.higher(
                    "fragmentation.large." + ids.get(i),
                    "blocks",
                    report -> report.outcomes.get(policy).largeBlocks());
        }
        for (int i = 0; i < ids.size(); i++) {
            int policy = i;
            metrics.higher(
                    "fragmentation.utilisation." + ids.get(i),
                    "used/budget",
                    report -> report.outcomes.get(policy).utilisation());
        }
        return metrics;
    }

    Report of(Metrics<FragmentationReport> metrics) {
        List<Chart> charts = new ArrayList<>();
        charts.add(bars());
        outcomes.forEach(outcome -> charts.add(map(outcome)));
        List<Goal> goals =
                List.of(
                        new Goal(
                                "budget used by large blocks",
                                ">= " + Unit.SHARE.format(GOAL),
                                percent(ours()),
                                ours().utilisation() >= GOAL));
        ReportSection section = new ReportSection(headline(), goals, charts);
        return new Report(metrics.of(this), text(), List.of(), section);
    }

    private Outcome ours() {
        return outcomes.getLast();
    }

    private String text() {
        StringBuilder text =
                new StringBuilder(
                        new Columns<Outcome>()
                                .words("policy", Outcome::label)
                                .number("large blocks", one -> Long.toString(one.largeBlocks()))
                                .number("budget used", FragmentationReport::percent)
                                .table(outcomes));
        text.append(
                workload(
                        """

                        %d owners with a block of %d bytes each, all closed; then one owner with \
                        blocks of %d bytes,
                        until a budget of %d MiB has no room for another one. Used: the bytes of \
                        these blocks.
                        """));
        for (Outcome outcome : outcomes) {
            text.append("\nMap of ").append(outcome.label()).append(":\n").append(outcome.map());
        }
        return text.toString();
    }

    private static String workload(String format) {
        return Format.text(
                format,
                SmallThenLarge.SMALL_OWNERS,
                SmallThenLarge.SMALL_BYTES,
                SmallThenLarge.LARGE_BYTES,
                SmallThenLarge.BUDGET_BYTES >> 20);
    }

    private String headline() {
        String others =
                outcomes.stream()
                        .limit(outcomes.size() - 1)
                        .map(other -> roughly(other) + " with " + other.label())
                        .collect(Collectors.joining(" and "));
        return Format.text(
                "After %d small owners have gone, a large one can use %s of the budget in Polder;"
                        + " %s.",
                SmallThenLarge.SMALL_OWNERS, roughly(ours()), others);
    }

    private Chart bars() {
        List<Bar> bars = new ArrayList<>();
        for (Outcome outcome : outcomes) {
            boolean ours = outcome.equals(ours());
            bars.add(
                    new Bar(
                            new Term(
                                    outcome.label(),
                                    Objects.requireNonNull(WORDS.get(outcome.id()))),
                            Term.NONE,
                            ours ? Tone.OURS : Tone.GROUND,
                            Spread.exactly(outcome.utilisation()),
                            ours ? OptionalDouble.of(GOAL) : OptionalDouble.empty()));
        }
        String note =
                workload(
                        "%d owners with a block of %d bytes each come and go; then one owner gets"
                                + " blocks of %d bytes until nothing is left of %d MiB.");
        return new Bars(
                new Caption("How much of the budget large blocks fill", note),
                Scale.LINEAR,
                Unit.SHARE,
                bars);
    }

    private Chart map(Outcome outcome) {
        List<Panel> panels = new ArrayList<>();
        for (Moment moment : Moment.values()) {
            panels.add(
                    new Panel(moment.label(), outcome.layouts().getOrDefault(moment, List.of())));
        }
        String note =
                "One cell a chunk, by address: from left to right, then down."
                        + (outcome.equals(ours())
                                ? " A chunk that is held has memory as far as it is used."
                                : "");
        return new MemoryMap(new Caption("Memory, " + outcome.label(), note), panels);
    }

    private static String percent(Outcome outcome) {
        return Format.text("%.2f %%", outcome.utilisation() * 100);
    }

    private static String roughly(Outcome outcome) {
        return Format.text("%.0f\u00a0%%", outcome.utilisation() * 100);
    }
}
