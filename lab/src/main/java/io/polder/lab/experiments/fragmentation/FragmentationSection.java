package io.polder.lab.experiments.fragmentation;

import io.polder.lab.experiments.fragmentation.SmallThenLarge.Moment;
import io.polder.lab.experiments.fragmentation.SmallThenLarge.Outcome;
import io.polder.lab.report.Goal;
import io.polder.lab.report.ReportSection;
import io.polder.tools.html.Bars;
import io.polder.tools.html.Bars.Bar;
import io.polder.tools.html.Bars.Scale;
import io.polder.tools.html.Bars.Spread;
import io.polder.tools.html.Chart;
import io.polder.tools.html.Chart.Caption;
import io.polder.tools.html.MemoryMap;
import io.polder.tools.html.MemoryMap.Panel;
import io.polder.tools.html.Tone;
import io.polder.tools.html.Unit;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.stream.Collectors;

/** What a page shows of the fragmentation experiment: bars, and a map of each policy over time. */
final class FragmentationSection {
    /** Share of the budget that Polder is to reach. */
    private static final double GOAL = 0.99;

    private FragmentationSection() {}

    static ReportSection of(List<Outcome> outcomes) {
        List<Chart> charts = new ArrayList<>();
        charts.add(bars(outcomes));
        outcomes.forEach(outcome -> charts.add(map(outcome)));
        return new ReportSection(headline(outcomes), goals(outcomes), charts);
    }

    private static String headline(List<Outcome> outcomes) {
        String others =
                outcomes.stream()
                        .filter(outcome -> !isOurs(outcome))
                        .map(outcome -> percent(outcome) + " with " + outcome.label())
                        .collect(Collectors.joining(" and "));
        return outcomes.stream()
                .filter(FragmentationSection::isOurs)
                .map(
                        ours ->
                                String.format(
                                        Locale.ROOT,
                                        "After %d small owners have gone, a large one can use %s of"
                                                + " the budget in Polder; %s.",
                                        SmallThenLarge.SMALL_OWNERS,
                                        percent(ours),
                                        others))
                .findFirst()
                .orElse("");
    }

    private static List<Goal> goals(List<Outcome> outcomes) {
        return outcomes.stream()
                .filter(FragmentationSection::isOurs)
                .map(
                        ours ->
                                new Goal(
                                        "budget used by large blocks",
                                        ">= " + Unit.SHARE.format(GOAL),
                                        String.format(
                                                Locale.ROOT, "%.2f %%", ours.utilisation() * 100),
                                        ours.utilisation() >= GOAL))
                .toList();
    }

    private static Chart bars(List<Outcome> outcomes) {
        List<Bar> bars =
                outcomes.stream()
                        .map(
                                outcome ->
                                        new Bar(
                                                outcome.label(),
                                                "",
                                                isOurs(outcome) ? Tone.OURS : Tone.GROUND,
                                                Spread.exactly(outcome.utilisation()),
                                                isOurs(outcome)
                                                        ? OptionalDouble.of(GOAL)
                                                        : OptionalDouble.empty()))
                        .toList();
        return new Bars(
                new Caption(
                        "How much of the budget large blocks fill",
                        String.format(
                                Locale.ROOT,
                                "%d owners with a block of %d bytes each come and go; then one"
                                    + " owner gets blocks of %d bytes until nothing is left of %d"
                                    + " MiB.",
                                SmallThenLarge.SMALL_OWNERS,
                                SmallThenLarge.SMALL_BYTES,
                                SmallThenLarge.LARGE_BYTES,
                                SmallThenLarge.BUDGET_BYTES >> 20)),
                Scale.LINEAR,
                Unit.SHARE,
                bars);
    }

    private static Chart map(Outcome outcome) {
        List<Panel> panels = new ArrayList<>();
        for (Moment moment : Moment.values()) {
            panels.add(
                    new Panel(moment.label(), outcome.layouts().getOrDefault(moment, List.of())));
        }
        return new MemoryMap(
                new Caption(
                        "Memory, " + outcome.label(),
                        "One cell a chunk, by address: from left to right, then down."
                                + (isOurs(outcome)
                                        ? " A chunk in use has memory as far as it is used."
                                        : "")),
                panels);
    }

    private static boolean isOurs(Outcome outcome) {
        return outcome.id().equals(PolderContender.ID);
    }

    private static String percent(Outcome outcome) {
        return String.format(Locale.ROOT, "%.0f\u00a0%%", outcome.utilisation() * 100);
    }
}
