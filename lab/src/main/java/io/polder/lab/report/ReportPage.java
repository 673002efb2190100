package io.polder.lab.report;

import io.polder.lab.harness.Experiment;
import io.polder.tools.html.Block;
import io.polder.tools.html.Block.Fact;
import io.polder.tools.html.DataTable;
import io.polder.tools.html.DataTable.Column;
import io.polder.tools.html.DataTable.Kind;
import io.polder.tools.html.Page;
import io.polder.tools.html.Page.Section;
import io.polder.tools.result.Environment;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The page of a run: for each experiment what it found, its charts, its goals if they were asked
 * for, and all figures; then where it was measured, and how to do it again.
 *
 * @param command that was typed behind {@code ./polder}
 * @param seed of everything drawn at random
 * @param quick whether it was a quick run
 * @param goals whether it says what was to be reached
 */
public record ReportPage(List<String> command, long seed, boolean quick, boolean goals) {
    /** As many goals are shown as they are; of more, the missed ones first. A guess. */
    private static final int GOALS_SHOWN_MAX = 20;

    /** What means itself to every shell. */
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_./=:,@+-]+");

    /** Of a time in ISO form, the part that is a date. */
    private static final int DATE_LENGTH = 10;

    /** Copies the list. */
    public ReportPage {
        command = List.copyOf(command);
    }

    /**
     * The page of some reports.
     *
     * @param environment with the arguments of all JVMs that were measured
     */
    public Page of(Map<Experiment, Report> reports, Environment environment) {
        List<Section> sections = new ArrayList<>();
        boolean alone = reports.size() == 1;
        List<ReportSection> shown = new ArrayList<>();
        reports.forEach(
                (experiment, report) -> {
                    ReportSection section =
                            goals ? report.section() : report.section().withoutGoals();
                    shown.add(section);
                    sections.add(section(experiment, report, section, alone));
                });
        sections.add(new Section("environment", "Environment", List.of(facts(environment))));
        sections.add(new Section("again", "Measure it yourself", again(environment)));
        boolean busy = reports.values().stream().anyMatch(Report::busy);
        return new Page(
                "Polder lab", headline(shown), shortFacts(shown, environment, busy), sections);
    }

    private static String headline(List<ReportSection> shown) {
        if (shown.size() == 1 && !shown.getFirst().headline().isEmpty()) {
            return shown.getFirst().headline();
        }
        List<Goal> goals = goalsOf(shown);
        return goals.isEmpty()
                ? "What Polder did on this machine."
                : "Polder reached " + count(goals) + " goals on this machine.";
    }

    private List<String> shortFacts(
            List<ReportSection> shown, Environment environment, boolean busy) {
        List<String> facts = new ArrayList<>();
        if (busy) {
            facts.add("busy machine");
        }
        List<Goal> goals = goalsOf(shown);
        if (shown.size() == 1 && !goals.isEmpty()) {
            facts.add(
                    goals.size() == 1
                            ? "goal " + goals.getFirst().verdict()
                            : count(goals) + " goals reached");
        }
        facts.add(quick ? "quick run" : "full run");
        facts.add(environment.date().toString().substring(0, DATE_LENGTH));
        facts.add(environment.jvm());
        facts.add(environment.cpu() + ", " + environment.cores() + " cores");
        return facts;
    }

    private static List<Goal> goalsOf(List<ReportSection> shown) {
        return shown.stream().flatMap(section -> section.goals().stream()).toList();
    }

    private static String count(List<Goal> goals) {
        return goals.stream().filter(Goal::reached).count() + " of " + goals.size();
    }

    private static Section section(
            Experiment experiment, Report report, ReportSection section, boolean alone) {
        List<Block> blocks = new ArrayList<>(section.charts());
        if (!section.goals().isEmpty()) {
            blocks.addAll(tables(section.goals()));
        }
        blocks.add(
                new Block.Folded("All metrics, as in --json", List.of(metrics(report.metrics()))));
        blocks.add(
                new Block.Folded(
                        "The report as text",
                        List.of(
                                new Block.Text(
                                        ReportText.of(report, false, experiment.about().more())))));
        return new Section(
                experiment.name(),
                capitalised(experiment.name()),
                section.goals().isEmpty() ? "" : count(section.goals()) + " reached",
                warnings(report)
                        // Alone, the headline stands on top of the page.
                        + (alone
                                ? capitalised(experiment.about().description()) + "."
                                : section.headline()),
                blocks,
                experiment.about().more());
    }

    private static String warnings(Report report) {
        return report.warnings().stream()
                .map(warning -> warning + " ")
                .collect(Collectors.joining());
    }

    private static String capitalised(String words) {
        return words.substring(0, 1).toUpperCase(Locale.ROOT) + words.substring(1);
    }

    private static List<Block> tables(List<Goal> goals) {
        if (goals.size() <= GOALS_SHOWN_MAX) {
            return List.of(table("Goals", goals));
        }
        List<Goal> missed = goals.stream().filter(goal -> !goal.reached()).toList();
        List<Block> blocks = new ArrayList<>();
        if (!missed.isEmpty()) {
            blocks.add(table("Goals that were missed", missed));
        }
        blocks.add(
                new Block.Folded("All " + goals.size() + " goals", List.of(table("Goals", goals))));
        return blocks;
    }

    private static DataTable table(String caption, List<Goal> goals) {
        return new DataTable(
                caption,
                List.of(
                        new Column("Figure", Kind.WORDS),
                        new Column("Goal", Kind.NUMBER),
                        new Column("Measured", Kind.NUMBER),
                        new Column("", Kind.VERDICT)),
                goals.stream()
                        .map(
                                goal ->
                                        List.of(
                                                goal.what(),
                                                typographic(goal.target()),
                                                typographic(goal.measured()),
                                                goal.verdict()))
                        .toList());
    }

    /** Goals are written for terminals, too. */
    private static String typographic(String text) {
        return text.replace(">= ", "≥ ")
                .replace("<= ", "≤ ")
                .replaceAll("(\\d)x$", "$1×")
                .replaceAll(" us$", " µs");
    }

    private static DataTable metrics(List<Metric> metrics) {
        return new DataTable(
                "Metrics",
                List.of(
                        new Column("Name", Kind.WORDS),
                        new Column("Value", Kind.NUMBER),
                        new Column("Unit", Kind.WORDS),
                        new Column("Better", Kind.WORDS)),
                metrics.stream()
                        .map(
                                metric ->
                                        List.of(
                                                metric.name(),
                                                value(metric.value()),
                                                metric.unit(),
                                                metric.better().name().toLowerCase(Locale.ROOT)))
                        .toList());
    }

    private static String value(double value) {
        return value == Math.rint(value) && Math.abs(value) < 1e15
                ? Long.toString((long) value)
                : String.format(Locale.ROOT, Math.abs(value) < 1000 ? "%.3f" : "%.0f", value);
    }

    private Block facts(Environment environment) {
        return new Block.Facts(
                List.of(
                        new Fact("Date", environment.date().toString()),
                        new Fact("Commit", environment.commit()),
                        new Fact("JVM", environment.jvm()),
                        new Fact("JVM arguments", String.join(" ", environment.jvmArgs())),
                        new Fact(
                                "Processor",
                                environment.cpu() + ", " + environment.cores() + " cores"),
                        new Fact("Kernel", environment.kernel()),
                        new Fact("Transparent huge pages", environment.transparentHugePages()),
                        new Fact("Seed", Long.toString(seed)),
                        new Fact("Command", commandLine())));
    }

    /** As it is typed into a shell. */
    private String commandLine() {
        return "./polder "
                + command.stream().map(ReportPage::quoted).collect(Collectors.joining(" "));
    }

    private static String quoted(String word) {
        return PLAIN.matcher(word).matches() ? word : "'" + word.replace("'", "'\\''") + "'";
    }

    private List<Block> again(Environment environment) {
        String commit = environment.commit().replace("+changes", "");
        boolean known = commit.matches("[0-9a-f]+");
        return List.of(
                new Block.Text(
                        (known ? "git checkout " + commit + "\n" : "") + commandLine() + "\n"));
    }
}
