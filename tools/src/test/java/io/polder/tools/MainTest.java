package io.polder.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.tools.terminal.ProgressLines;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import picocli.CommandLine;

import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/** The command as a whole. */
class MainTest {
    private static final List<String> OF_A_PROCESS =
            List.of("report", "map", "top", "leaks", "baseline", "diff", "census");

    private static final String RUN_HELP =
            """
            Usage: polder run [OPTIONS] java ARGUMENT...
            Runs a Java command with pooled arenas, without a change to the program.
                  java ARGUMENT...    The command.
                  --pool=KIND         confined, shared, both or off: which arenas are
                                        pooled (default: confined).
                  --netty             Make Polder's allocator Netty's default, where Netty
                                        would choose one itself.
                  --report[=FILE]     Print the reports of all pools at the end.
                  --leaks=HOW         Look for what is never closed: sampled or all.
                  --census[=FILE]     Count arenas, and print the census at the end.
                  --json[=FILE]       Count arenas, and print the census as JSON.
                  --include=PATTERN   Only classes of this name: com.acme.*, com.acme.**
                  --exclude=PATTERN   No classes of this name.
              -h, --help              Show this help message and exit.
              -V, --version           Print version information and exit.
            Exit codes:
              2     the command line is wrong
              126   java cannot be executed
              127   there is no such java
              *     otherwise that of the command

            Everything from the word java on is the command's: its options, streams and
            signals.
            All is printed when the program ends: JSON to standard output and the rest to
            standard error, or all to FILE; %p: the process id; -: standard output.
            """;

    @TempDir private Path folder;

    @Test
    void help_namesAllCommands() {
        StringWriter out = new StringWriter();
        CommandLine command =
                Main.commandLine(new Main.Lab(), new ProgressLines(System.err))
                        .setOut(new PrintWriter(out));
        assertThat(command.execute("--help")).isZero();
        assertThat(command.getSubcommands())
                .containsKeys(
                        "report",
                        "map",
                        "top",
                        "leaks",
                        "baseline",
                        "diff",
                        "scan",
                        "run",
                        "census");
        assertThat(out.toString()).contains("Usage: polder [-hV] [--java-home] COMMAND");
    }

    /** The launcher takes what it names. */
    @Test
    void help_ofRun_isAPage() {
        CommandLine all = Main.commandLine(new Main.Lab(), new ProgressLines(System.err));
        CommandLine run = Objects.requireNonNull(all.getSubcommands().get("run"));
        assertThat(run.getUsageMessage(CommandLine.Help.Ansi.OFF)).isEqualTo(RUN_HELP);
    }

    /** The JVM says "?" where no list of users has the user, as in a container with any number. */
    @ParameterizedTest
    @ValueSource(strings = {"baseline", "diff"})
    void baseline_userWithoutHome_isAUsageError(String command) throws Exception {
        Map<String, String> without =
                Map.of("JAVA_TOOL_OPTIONS", "-Duser.home=?", "XDG_CACHE_HOME", "");
        String self = Long.toString(ProcessHandle.current().pid());
        try (PolderProcess polder = PolderProcess.start(folder, without, command, self)) {
            PolderProcess.Result result = polder.finish();
            assertThat(result.errors()).contains("you have no home directory: name a file by");
            assertThat(result.exitCode()).isEqualTo(2);
        }
    }

    private static String errors(String... words) {
        StringWriter err = new StringWriter();
        CommandLine command =
                Main.commandLine(new Main.Lab(), new ProgressLines(System.err))
                        .setErr(new PrintWriter(err));
        assertThat(command.execute(words)).as(String.join(" ", words)).isEqualTo(2);
        return err.toString();
    }

    /** The help is a page: what is wrong would be far above its end. */
    @Test
    void mistake_anyCommand_isSaidInTwoLinesWithOneExitCode() {
        assertThat(errors("top", "--foo"))
                .isEqualTo("polder top: Unknown option: '--foo'\nTry 'polder top --help'.\n");
        for (String command : OF_A_PROCESS) {
            for (String pid : List.of("-1", "0", "x")) {
                assertThat(errors(command, pid))
                        .startsWith("polder " + command + ": ")
                        .endsWith("\nTry 'polder " + command + " --help'.\n")
                        .doesNotContain("Usage");
            }
            assertThat(errors(command, "--", "-1")).contains("PID must be positive: PID=-1");
            assertThat(errors(command, "x")).contains("(PID): must be a whole number: x\n");
        }
        assertThat(errors("leaks", "1", "--frames", "x")).contains("must be a whole number: x\n");
        assertThat(errors("top", "1", "-n", "x")).contains("must be a whole number: x\n");
        assertThat(errors("top", "1", "-n", "3000000000")).contains("too large: 3000000000\n");
        assertThat(errors("top", "1", "--interval", "x")).contains("must be a number: x\n");
        for (List<String> words : List.of(List.of("rport"), List.of("rport", "--help"))) {
            assertThat(errors(words.toArray(String[]::new)))
                    .startsWith("polder: Unmatched argument at index 0: 'rport'\nDid you mean: ")
                    .endsWith("\nTry 'polder --help'.\n");
        }
    }

    /** Each looks for the JVMs that run. */
    @Tag("full")
    @Test
    void pid_leftOutOfAnyCommand_isAskedFor() {
        for (String command : OF_A_PROCESS) {
            assertThat(errors(command)).contains("name the process to look at");
        }
    }

    @Test
    void usage_ofCommandsThatNeedAProcess_doesNotSayItIsOptional() {
        CommandLine all = Main.commandLine(new Main.Lab(), new ProgressLines(System.err));
        for (String command : List.of("report", "census", "leaks")) {
            CommandLine each = Objects.requireNonNull(all.getSubcommands().get(command));
            assertThat(each.getUsageMessage()).contains(" PID").doesNotContain("[PID]");
        }
    }

    @Test
    void whatTheLauncherDoes_isNotDoneHere() throws Exception {
        for (String name : List.of("lab", "run")) {
            try (PolderProcess polder = PolderProcess.start(folder, Map.of(), name)) {
                PolderProcess.Result result = polder.finish();
                assertThat(result.exitCode()).isEqualTo(2);
                assertThat(result.errors()).contains("Use ./polder " + name);
            }
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void standardOutput_full_isAnError() throws Exception {
        writeToAFullDevice("--help");
        writeToAFullDevice("run --help");
    }

    @Tag("full")
    @ParameterizedTest
    @ValueSource(strings = {"scan jrt:/java.logging", "scan --json jrt:/java.logging"})
    @EnabledOnOs(OS.LINUX)
    void standardOutputOfACommand_full_isAnError(String words) throws Exception {
        writeToAFullDevice(words);
    }

    private static void writeToAFullDevice(String words) throws Exception {
        Process process = start(words, new File("/dev/full"));
        String errors = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(300, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(words).isEqualTo(5);
        assertThat(errors).endsWith("polder: standard output could not be written\n");
    }

    /** As behind {@code | head -1}. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void standardOutput_nobodyReadsAnyMore_isNone() throws Exception {
        Process process = start("--help", null);
        process.getInputStream().close();
        String errors = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(300, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isZero();
        assertThat(errors).isEmpty();
    }

    private static Process start(String words, @Nullable File output) throws IOException {
        List<String> command = PolderProcess.command();
        command.addAll(List.of(words.split(" ")));
        ProcessBuilder builder = new ProcessBuilder(command);
        if (output != null) {
            builder.redirectOutput(output);
        }
        return builder.start();
    }
}
