package io.polder.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.lab.harness.Context;
import io.polder.lab.harness.Experiment;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import picocli.CommandLine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The command line: what it accepts, what reaches the experiment, what is refused. */
class LabCommandTest extends LabFixture {
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
                        "pages, evacuation, netty, blocks, cache, replay;",
                        "or all of them that need no FILE")
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
    void options_reachTheExperiment() {
        assertThat(polder("lab", "one", "--quick", "--seed", "42")).isZero();
        assertThat(polder("lab", "one")).isZero();

        assertThat(contexts).extracting(Context::quick).containsExactly(true, false);
        assertThat(contexts).extracting(Context::seed).containsExactly(42L, 1L);
        assertThat(out.toString()).contains("table of one");
    }

    @Test
    void progress_ofSeveral_namesTheExperiment() {
        Experiments sound = new Experiments(List.of(new Fake("one"), new Fake("two")));

        assertThat(command(sound).execute("lab", "all")).isZero();
        assertThat(command(sound).execute("lab", "two")).isZero();

        assertThat(steps).containsExactly("25 one: measuring", "75 two: measuring", "50 measuring");
    }

    @Test
    void csv_reachesTheExperiment(@TempDir Path directory) {
        Experiments raw = new Experiments(List.of(new Fake("one"), new Fake("raw")));

        assertThat(command(raw).execute("lab", "raw", "--csv", directory.toString())).isZero();
        assertThat(command(raw).execute("lab", "all", "--csv", directory.toString())).isZero();

        assertThat(contexts).extracting(Context::csv).containsOnly(directory);
    }

    @Test
    void csv_thatCannotBeWritten_isSaidByNameAndExitCode(@TempDir Path directory)
            throws IOException {
        Experiments raw = new Experiments(List.of(new Fake("raw")));
        Path file = Files.createDirectory(directory.resolve("raw.csv"));

        assertThat(command(raw).execute("lab", "raw", "--csv", directory.toString())).isEqualTo(5);
        assertThat(err.toString()).contains(file + " could not be written");

        Files.delete(file);
        assertThat(command(raw).execute("lab", "raw", "--csv", directory.toString())).isZero();
        assertThat(file).hasContent("round,ns\n");
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
    void severalNames_runInTheirOrder() {
        Experiments some =
                new Experiments(List.of(new Fake("one"), new Fake("two"), new Fake("three")));

        assertThat(command(some).execute("lab", "three", "one", "three")).isZero();

        assertThat(out.toString())
                .containsSubsequence("table of three", "table of one")
                .containsOnlyOnce("table of three")
                .doesNotContain("table of two");
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
                        "blocks",
                        "cache",
                        "replay",
                        "all");
        assertThat(Experiments.ALL.named("all"))
                .extracting(Experiment::name)
                .containsExactly(
                        "confined",
                        "fragmentation",
                        "elasticity",
                        "pages",
                        "evacuation",
                        "netty",
                        "blocks",
                        "cache");
    }
}
