package io.polder.lab;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import io.polder.lab.harness.Context;
import io.polder.lab.harness.Experiment;
import io.polder.lab.harness.ExperimentException;
import io.polder.lab.harness.InputException;
import io.polder.lab.harness.MachineLoad;
import io.polder.lab.harness.Quartiles;
import io.polder.lab.report.Goal;
import io.polder.lab.report.Metric;
import io.polder.lab.report.Metric.Better;
import io.polder.lab.report.Report;
import io.polder.lab.report.ReportSection;
import io.polder.tools.terminal.Progress;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import picocli.CommandLine;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** The command line: what it accepts, what it prints, how it ends. */
class LabCommandTest {
    private static final Progress SILENT = progress(_ -> {});

    private final List<Context> contexts = new ArrayList<>();
    private final List<String> steps = new ArrayList<>();

    /** What the machine is found to do, one after the other; nobody knows if there is no more. */
    private final Deque<MachineLoad> loads = new ArrayDeque<>();

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void noArguments_printHelp() {
        assertThat(polder()).isZero();
        assertThat(out.toString()).contains("Usage: polder").contains("lab");
    }

    /** The list of commands has only the first line of what each says of itself. */
    @Test
    void help_ofCommands_endsNoSentenceEarly() {
        assertThat(polder()).isZero();
        String help = out.toString().replaceAll("\\s+", " ");
        CommandLine command = Main.commandLine(Experiments.ALL, SILENT);
        assertThat(command.getSubcommands()).containsKeys("report", "map", "top", "census");
        for (CommandLine each : command.getSubcommands().values()) {
            String all = String.join(" ", each.getCommandSpec().usageMessage().description());
            assertThat(all).endsWith(".");
            assertThat(help).contains(all);
        }
    }

    @Test
    void help_documentsExitCodes() {
        assertThat(polder("lab", "--help")).isZero();
        assertThat(out.toString())
                .contains(
                        "confined, fragmentation, elasticity",
                        "pages, evacuation, netty, replay",
                        "need no FILE")
                .contains(
                        "--quick",
                        "--goals",
                        "--json",
                        "--html",
                        "--csv",
                        "--seed",
                        "Exit codes:",
                        "0   ",
                        "1   ",
                        "2   ");
    }

    @Test
    void version_isPrinted() {
        assertThat(polder("--version")).isZero();
        assertThat(out.toString()).startsWith("polder ").contains("java 25");
    }

    @Test
    void missingName_isUsage() {
        assertThat(polder("lab")).isEqualTo(2);
        assertThat(err.toString()).contains("NAME");
        assertThat(contexts).isEmpty();
    }

    @Test
    void unknownName_listsTheNamesThereAre() {
        assertThat(polder("lab", "confimed")).isEqualTo(2);
        assertThat(err.toString())
                .contains(
                        "Unknown experiment 'confimed'; there are: one, two, reading, broken, all");
    }

    @Test
    void unknownOption_isUsage() {
        assertThat(polder("lab", "one", "--htm", "x.html")).isEqualTo(2);
        assertThat(polder("lab", "one", "--seed", "many")).isEqualTo(2);
        assertThat(polder("map")).isEqualTo(2);
        assertThat(contexts).isEmpty();
    }

    @Test
    void jsonThatCannotBeWritten_isRefusedBeforeMeasuring(@TempDir Path directory) {
        Path file = directory.resolve("missing").resolve("x.json");

        assertThat(polder("lab", "one", "--json=" + file)).isEqualTo(2);
        assertThat(polder("lab", "one", "--json=" + directory)).isEqualTo(2);
        assertThat(err.toString()).contains("--json names a file").contains(file.toString());
        assertThat(contexts).isEmpty();
    }

    @Test
    void htmlThatCannotBeWritten_isRefusedBeforeMeasuring(@TempDir Path directory) {
        Path file = directory.resolve("missing").resolve("x.html");

        assertThat(polder("lab", "one", "--html", file.toString())).isEqualTo(2);
        assertThat(err.toString()).contains("--html names a file").contains(file.toString());
        assertThat(contexts).isEmpty();
    }

    @Test
    void html_tellsResultEnvironmentAndHowToRepeat(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("x.html");

        assertThat(lab("one", "--quick", "--goals", "--seed", "7", "--html", file.toString()))
                .isZero();

        assertThat(out.toString()).contains("Page written to " + file);
        String html = Files.readString(file);
        assertThat(html)
                .contains("<h1>One is 2.5 times as fast.</h1>")
                .contains("<li>1 of 2 goals reached</li>", "<li>quick run</li>")
                .contains("What one costs.")
                .contains("<td class=\"number\">≥ 3.0×</td>", "<td class=\"number\">12 µs</td>")
                .contains("<span class=\"missed\">missed</span>")
                .contains("<th scope=\"row\">one.speedup</th>", "table of one")
                .contains("<dt>Seed</dt><dd>7</dd>", "<dd>-Done</dd>")
                .contains("./polder lab one --quick --goals --seed 7 --html " + file);
    }

    @Test
    void html_withoutGoals_doesNotJudge(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("x.html");

        assertThat(polder("lab", "one", "--html", file.toString())).isZero();

        String html = Files.readString(file);
        String body = html.substring(html.indexOf("<main"), html.indexOf("</main>"));
        assertThat(body)
                .contains("What one costs.", "table of one")
                .doesNotContainIgnoringCase("goal", "missed", "reached", "≥ 3.0×");
    }

    @Test
    void goals_arePrintedOnlyWhenAskedFor() {
        assertThat(polder("lab", "one")).isZero();
        assertThat(out.toString()).doesNotContain("goal", "missed", "reached");

        assertThat(polder("lab", "one", "--goals")).isZero();
        assertThat(out.toString().lines().map(line -> line.replaceAll(" +", " ")))
                .contains(
                        "goal measured",
                        "speed >= 3.0x 2.5x missed",
                        "time <= 20 us 12 us reached");
    }

    @Test
    void html_ofAFileThatMeansMoreToAShell_quotesIt(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("it's $HOME.html");

        assertThat(polder("lab", "one", "--seed", "7", "--html", file.toString())).isZero();

        String quoted = "'" + directory + "/it'\\''s $HOME.html'";
        assertThat(Files.readString(file))
                .contains("./polder lab one --seed 7 --html " + quoted.replace("'", "&#39;"));
    }

    @Test
    void html_ofAll_hasASectionForEach(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("x.html");
        Experiments sound = new Experiments(List.of(new Fake("one"), new Fake("two")));

        assertThat(command(sound).execute("lab", "all", "--goals", "--html", file.toString()))
                .isZero();

        assertThat(Files.readString(file))
                .contains("<h1>Polder reached 2 of 4 goals on this machine.</h1>")
                .contains("<a href=\"#one\">One</a>", "<a href=\"#two\">Two</a>")
                .contains("<p>One is 2.5 times as fast.</p>", "<p>Two is 2.5 times as fast.</p>")
                .contains("<section id=\"one\"", "<section id=\"two\"")
                .contains("1 of 2 reached");
    }

    @Test
    void options_reachTheExperiment() {
        assertThat(polder("lab", "one", "--quick", "--seed", "42")).isZero();
        assertThat(polder("lab", "one")).isZero();

        assertThat(contexts).extracting(Context::quick).containsExactly(true, false);
        assertThat(contexts).extracting(Context::seed).containsExactly(42L, 1L);
        assertThat(out.toString()).contains("table of one");
    }

    @Test
    void json_hasTheAgreedKeys(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("x.json");

        assertThat(polder("lab", "one", "--seed", "7", "--json=" + file)).isZero();

        JsonNode json = new ObjectMapper().readTree(Files.readString(file));
        assertThat(json.fieldNames())
                .toIterable()
                .containsExactly(
                        "lab", "seed", "environment", "busy", "warnings", "metrics", "goals");
        assertThat(json.get("lab").asText()).isEqualTo("one");
        assertThat(json.get("seed").asLong()).isEqualTo(7);
        assertThat(json.get("environment").fieldNames())
                .toIterable()
                .containsExactly(
                        "date",
                        "commit",
                        "jvm",
                        "jvm_args",
                        "cpu",
                        "cores",
                        "kernel",
                        "transparent_huge_pages");
        assertThat(json.get("environment").get("jvm_args").get(0).asText()).isEqualTo("-Done");
        assertThat(json.get("metrics")).hasSize(2);
        JsonNode metric = json.get("metrics").get(0);
        assertThat(metric.fieldNames())
                .toIterable()
                .containsExactly("name", "value", "unit", "better", "quartiles", "busy");
        assertThat(metric.get("name").asText()).isEqualTo("one.speedup");
        assertThat(metric.get("value").asDouble()).isEqualTo(2.5);
        assertThat(metric.get("unit").asText()).isEqualTo("x");
        assertThat(metric.get("better").asText()).isEqualTo("higher");
        assertThat(metric.get("quartiles").toString()).isEqualTo("[2.0,3.5]");
        assertThat(metric.get("busy").asBoolean()).isFalse();
        assertThat(json.get("metrics").get(1).get("better").asText()).isEqualTo("lower");
        assertThat(json.get("metrics").get(1).has("quartiles")).isFalse();
        assertThat(json.get("busy").asBoolean()).isFalse();
        assertThat(json.get("warnings")).isEmpty();
        assertThat(json.get("goals")).hasSize(2);
        JsonNode goal = json.get("goals").get(0);
        assertThat(goal.fieldNames())
                .toIterable()
                .containsExactly("what", "target", "measured", "reached", "busy");
        assertThat(goal.get("what").asText()).isEqualTo("speed");
        assertThat(goal.get("target").asText()).isEqualTo(">= 3.0x");
        assertThat(goal.get("reached").asBoolean()).isFalse();
    }

    @Test
    void all_stopsAtAFailureAndKeepsWhatHasEnded(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("x.json");
        Path page = directory.resolve("x.html");

        assertThat(polder("lab", "all", "--json=" + file, "--html", page.toString())).isEqualTo(1);

        assertThat(out.toString()).contains("table of one").contains("table of two");
        assertThat(out.toString())
                .contains(
                        "Metrics of one, two written to " + file,
                        "Page of one, two written to " + page);
        assertThat(err.toString()).isEqualToIgnoringNewLines("broken cannot be measured here");
        assertThat(new ObjectMapper().readTree(Files.readString(file)).get("metrics")).hasSize(4);
        assertThat(Files.readString(page)).contains("table of one", "table of two");
    }

    @Test
    void all_whoseExperimentBreaks_hasWrittenThoseBefore(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("x.json");
        Experiments broken = new Experiments(List.of(new Fake("one"), new Fake("bug")));

        assertThat(command(broken).execute("lab", "all", "--json=" + file)).isNotZero();

        assertThat(Files.readString(file)).contains("one.speedup");
    }

    @Test
    void json_withoutFile_isAllThatIsPrinted() throws Exception {
        assertThat(polder("lab", "--json", "one")).isZero();
        JsonNode json = new ObjectMapper().readTree(out.toString());
        assertThat(json.get("lab").asText()).isEqualTo("one");
        assertThat(json.get("metrics")).hasSize(2);
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void fileThatCannotBeWritten_hasItsOwnExitCode() {
        for (String option : List.of("--json=/dev/full", "--html=/dev/full")) {
            assertThat(polder("lab", "one", option)).isEqualTo(5);
        }
        assertThat(err.toString()).contains("/dev/full could not be written: ").hasLineCount(2);
    }

    @Test
    void one_thatFails_writesNothing(@TempDir Path directory) {
        Path file = directory.resolve("x.json");

        assertThat(polder("lab", "broken", "--json=" + file)).isEqualTo(1);

        assertThat(file).doesNotExist();
        assertThat(out.toString()).doesNotContain("written");
    }

    @Test
    void progress_ofSeveral_namesTheExperiment() {
        Experiments sound = new Experiments(List.of(new Fake("one"), new Fake("two")));

        assertThat(command(sound).execute("lab", "all")).isZero();
        assertThat(command(sound).execute("lab", "two")).isZero();

        assertThat(steps).containsExactly("25 one: measuring", "75 two: measuring", "50 measuring");
    }

    @Test
    void busyMachine_isSaidWhereFiguresAreRead(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("x.json");
        Path page = directory.resolve("x.html");
        // Of 100 ticks others had 40, later none.
        loads.addAll(List.of(new MachineLoad(0, 0, 0), new MachineLoad(100, 60, 20)));
        loads.addAll(List.of(new MachineLoad(100, 60, 20), new MachineLoad(200, 90, 50)));
        Experiments sound = new Experiments(List.of(new Fake("one"), new Fake("two")));

        assertThat(
                        command(sound)
                                .execute("lab", "all", "--json=" + file, "--html", page.toString()))
                .isZero();

        String warning =
                "Busy machine: other programs had 40 % of the processors. Measure again when it is"
                        + " idle.";
        assertThat(out.toString().lines())
                .containsSubsequence(warning, "table of one", "table of two")
                .containsOnlyOnce(warning);
        assertThat(Files.readString(page)).contains("<li>busy machine</li>", "<p>" + warning);
        JsonNode json = new ObjectMapper().readTree(Files.readString(file));
        assertThat(json.get("busy").asBoolean()).isTrue();
        assertThat(json.get("warnings").get(0).asText()).isEqualTo(warning);
        assertThat(json.get("metrics").findValuesAsText("busy"))
                .containsExactly("true", "true", "false", "false");
        assertThat(json.get("goals").findValuesAsText("busy"))
                .containsExactly("true", "true", "false", "false");
    }

    @Test
    void all_mergesMetrics(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("x.json");
        Experiments sound = new Experiments(List.of(new Fake("one"), new Fake("two")));

        assertThat(command(sound).execute("lab", "all", "--json=" + file)).isZero();

        JsonNode json = new ObjectMapper().readTree(Files.readString(file));
        assertThat(json.get("lab").asText()).isEqualTo("all");
        assertThat(json.get("metrics").findValuesAsText("name"))
                .containsExactly("one.speedup", "one.ns", "two.speedup", "two.ns");
        assertThat(json.get("environment").get("jvm_args")).hasSize(2);
    }

    @Test
    void csv_reachesTheExperiment(@TempDir Path directory) {
        Experiments raw = new Experiments(List.of(new Fake("one"), new Fake("raw")));

        assertThat(command(raw).execute("lab", "raw", "--csv", directory.toString())).isZero();
        assertThat(command(raw).execute("lab", "all", "--csv", directory.toString())).isZero();

        assertThat(contexts).extracting(Context::csv).containsOnly(directory);
    }

    @Test
    void csv_ofAnExperimentWithoutRawData_isUsage(@TempDir Path directory) {
        assertThat(polder("lab", "one", "--csv", directory.toString())).isEqualTo(2);
        assertThat(err.toString())
                .contains("--csv is for experiments that write raw data; one does not");
        assertThat(contexts).isEmpty();
    }

    @Test
    void files_reachTheExperimentThatTakesThem() {
        assertThat(polder("lab", "reading", "a.log", "--quick", "b.log")).isZero();

        assertThat(contexts).extracting(Context::quick).containsExactly(true);
        assertThat(contexts.getFirst().files()).containsExactly(Path.of("a.log"), Path.of("b.log"));
    }

    @Test
    void files_whereTheyAreNeeded_areAskedFor() {
        assertThat(polder("lab", "reading")).isEqualTo(2);

        assertThat(err.toString()).contains("reading needs the FILE", "./polder lab reading FILE");
        assertThat(contexts).isEmpty();
    }

    @Test
    void csv_thatCannotBeWritten_isRefusedBeforeMeasuring(@TempDir Path directory)
            throws Exception {
        Experiments raw = new Experiments(List.of(new Fake("raw")));
        Path missing = directory.resolve("missing");
        Path file = Files.createFile(directory.resolve("file"));

        assertThat(command(raw).execute("lab", "raw", "--csv", missing.toString())).isEqualTo(2);
        assertThat(command(raw).execute("lab", "raw", "--csv", file.toString())).isEqualTo(2);
        assertThat(err.toString())
                .contains("--csv names a directory that exists and can be written: " + missing);
        assertThat(contexts).isEmpty();
    }

    @Test
    void files_whereNoneAreRead_areRefused() {
        assertThat(polder("lab", "one", "a.log")).isEqualTo(2);
        assertThat(polder("lab", "all", "b.log")).isEqualTo(2);

        assertThat(err.toString())
                .contains("one reads no files: a.log", "all reads no files: b.log");
        assertThat(contexts).isEmpty();
    }

    @Test
    void files_thatCannotBeUsed_areUsage() {
        assertThat(polder("lab", "reading", "bad.log")).isEqualTo(2);

        assertThat(err.toString()).isEqualToIgnoringNewLines("bad.log, line 1: not a log");
    }

    @Test
    void replay_ofWhatIsNoLog_isUsage(@TempDir Path directory) throws Exception {
        Path foreign = Files.writeString(directory.resolve("x.log"), "hello\n");
        Path missing = directory.resolve("missing.log");

        assertThat(command(Experiments.ALL).execute("lab", "replay", foreign.toString()))
                .isEqualTo(2);
        assertThat(command(Experiments.ALL).execute("lab", "replay", missing.toString()))
                .isEqualTo(2);
        assertThat(err.toString())
                .contains(foreign + ", line 1: a line begins with the JVM's uptime")
                .contains(missing + ": there is no such file");
    }

    @Test
    void all_leavesOutWhatNeedsFiles() {
        Experiments sound = new Experiments(List.of(new Fake("one"), new Fake("reading")));

        assertThat(command(sound).execute("lab", "all")).isZero();

        assertThat(out.toString()).contains("table of one").doesNotContain("table of reading");
    }

    @Test
    void theLab_hasItsExperiments() {
        assertThat(Experiments.ALL.names())
                .containsExactly(
                        "confined",
                        "fragmentation",
                        "elasticity",
                        "pages",
                        "evacuation",
                        "netty",
                        "replay",
                        "all");
        assertThat(Experiments.ALL.named("all"))
                .extracting(Experiment::name)
                .containsExactly(
                        "confined", "fragmentation", "elasticity", "pages", "evacuation", "netty");
    }

    private int lab(String... args) {
        return polder(Stream.concat(Stream.of("lab"), Stream.of(args)).toArray(String[]::new));
    }

    private int polder(String... args) {
        return command(
                        new Experiments(
                                List.of(
                                        new Fake("one"),
                                        new Fake("two"),
                                        new Fake("reading"),
                                        new Fake("broken"))))
                .execute(args);
    }

    private CommandLine command(Experiments experiments) {
        LabCommand lab =
                new LabCommand(
                        experiments,
                        progress(steps::add),
                        () -> Optional.ofNullable(loads.pollFirst()));
        return io.polder.tools.Main.commandLine(lab, SILENT)
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true));
    }

    private static Progress progress(Consumer<String> steps) {
        return new Progress() {
            @Override
            public void show(String step, double done) {
                steps.accept(Math.round(done * 100) + " " + step);
            }

            @Override
            public void clear() {
                // Nothing was shown.
            }
        };
    }

    private final class Fake implements Experiment {
        private final String name;

        Fake(String name) {
            this.name = name;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public String description() {
            return "what " + name + " costs";
        }

        @Override
        public boolean writesCsv() {
            return name.equals("raw");
        }

        @Override
        public boolean takesFiles() {
            return name.equals("reading");
        }

        @Override
        public List<String> metricNames() {
            return List.of(name + ".speedup", name + ".ns");
        }

        @Override
        public Report run(Context context) throws ExperimentException {
            if (name.equals("broken")) {
                throw new ExperimentException("broken cannot be measured here", null);
            }
            if (context.files().contains(Path.of("bad.log"))) {
                throw new InputException("bad.log, line 1: not a log", null);
            }
            if (name.equals("bug")) {
                throw new IllegalStateException("a bug");
            }
            contexts.add(context);
            context.progress().show("measuring", 0.5);
            return new Report(
                    List.of(
                            new Metric(
                                    name + ".speedup",
                                    new Quartiles(2, 2.5, 3.5),
                                    Metric.TIMES,
                                    Better.HIGHER),
                            new Metric(name + ".ns", 1, "ns", Better.LOWER)),
                    "table of " + name,
                    List.of("-D" + name),
                    new ReportSection(
                            Character.toUpperCase(name.charAt(0))
                                    + name.substring(1)
                                    + " is 2.5 times as fast.",
                            List.of(
                                    new Goal("speed", ">= 3.0x", "2.5x", false),
                                    new Goal("time", "<= 20 us", "12 us", true)),
                            List.of()));
        }
    }
}
