package io.polder.tools.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.polder.tools.run.LabProcess.Result;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;

@EnabledOnOs(OS.LINUX)
class RunCommandTest {
    /** Says what it is, answers its input, and ends as it is told. */
    private static final String PROGRAM =
            """
            import java.lang.foreign.Arena;
            public class Program {
                public static void main(String[] arguments) throws Exception {
                    Runtime.getRuntime().addShutdownHook(
                            new Thread(() -> System.out.println("hook")));
                    System.out.println("process " + ProcessHandle.current().pid());
                    try (Arena arena = Arena.ofConfined()) {
                        System.out.println(arena.getClass().getSimpleName());
                    }
                    System.out.println(String.join("|", arguments));
                    System.err.println("to errors");
                    int read = System.in.read();
                    System.out.println("read " + (char) read);
                    System.exit(Integer.parseInt(arguments[0]));
                }
            }
            """;

    /** Says what it inherited: its last argument, descriptors of files, and blocked signals. */
    private static final String HEIR =
            """
            import java.nio.file.*;
            import java.util.HexFormat;
            public class Heir {
                public static void main(String[] arguments) throws Exception {
                    byte[] line = Files.readAllBytes(Path.of("/proc/self/cmdline"));
                    int start = line.length - 1;
                    while (line[start - 1] != 0) {
                        start--;
                    }
                    System.out.println(
                            HexFormat.of().formatHex(line, start, line.length - 1));
                    try (var open = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
                        for (Path descriptor : open) {
                            Path file = Files.readSymbolicLink(descriptor);
                            if (Files.isRegularFile(file)
                                    && Integer.parseInt("" + descriptor.getFileName()) > 2) {
                                System.out.println("file " + file.getFileName());
                            }
                        }
                    }
                    Files.lines(Path.of("/proc/self/status"))
                            .filter(text -> text.startsWith("SigBlk"))
                            .map(text -> Long.parseUnsignedLong(text.substring(7).strip(), 16))
                            .forEach(set -> System.out.println("quit blocked: " + (set >> 2 & 1)));
                }
            }
            """;

    @TempDir private Path folder;

    @BeforeEach
    void setUp() throws Exception {
        compile("Program", PROGRAM);
    }

    private void compile(String name, String source) throws Exception {
        Path file = Files.writeString(folder.resolve(name + ".java"), source);
        var compiler = javax.tools.ToolProvider.getSystemJavaCompiler();
        assertThat(compiler.run(null, null, null, file.toString())).isZero();
    }

    private Result shell(String script) throws Exception {
        try (LabProcess lab = LabProcess.startByShell(folder, script)) {
            return lab.finish();
        }
    }

    private LabProcess start(String... words) throws Exception {
        return LabProcess.start(folder, Map.of(), words);
    }

    private Result run(String... words) throws Exception {
        try (LabProcess lab = start(words)) {
            lab.input().write("y".getBytes(StandardCharsets.US_ASCII));
            lab.input().close();
            return lab.finish();
        }
    }

    @Test
    void run_program_hasArgumentsStreamsExitCodeAndPooledArenas() throws Exception {
        String java = LabProcess.java().toString();
        Result result = run("run", java, "-cp", ".", "Program", "42", "--report", "@x", "a b");
        assertThat(result.exitCode()).isEqualTo(42);
        assertThat(result.output().lines().skip(1))
                .containsExactly("ConfinedArena", "42|--report|@x|a b", "read y", "hook");
        assertThat(result.errors()).isEqualTo("to errors\n");
    }

    @Test
    void run_argumentsThatTheLocaleLacks_arePassedOnByteForByte() throws Exception {
        compile("Heir", HEIR);
        Path bin = Files.createDirectories(folder.resolve("bin"));
        Files.createSymbolicLink(bin.resolve("java"), LabProcess.java());
        for (String locale : new String[] {"C", "C.UTF-8"}) {
            Result result =
                    shell(
                            "LC_ALL="
                                    + locale
                                    + "; export LC_ALL; PATH=$(printf '/x\\303\\244'):"
                                    + bin
                                    + ":$PATH; exec \"$@\" run java -cp . Heir"
                                    + " \"$(printf 'a\\303\\244\\377z')\"");
            assertThat(result.exitCode()).as(result.errors()).isZero();
            assertThat(result.output().lines().findFirst()).contains("61c3a4ff7a");
            assertThat(result.errors()).isEmpty();
        }
    }

    @Test
    void run_optionThatTheLocaleLacks_isRefused() throws Exception {
        Result result =
                shell(
                        "LC_ALL=C exec \"$@\" run --json \"$(printf '\\303\\244')\" "
                                + LabProcess.java()
                                + " -version");
        assertThat(result.exitCode()).as(result.errors()).isEqualTo(2);
        assertThat(result.errors()).contains("must be in the encoding of the locale");
    }

    @Test
    void run_program_inheritsNothingOfTheLab() throws Exception {
        compile("Heir", HEIR);
        Result result = run("run", LabProcess.java().toString(), "-cp", ".", "Heir", "x");
        assertThat(result.exitCode()).as(result.errors()).isZero();
        assertThat(result.output().lines().filter(line -> line.startsWith("file ")))
                .containsOnlyOnce("file modules")
                .isSubsetOf("file modules", "file polder-agent.jar");
        assertThat(result.output()).contains("quit blocked: 0");
    }

    @Test
    void run_program_isTheProcessThatWasStarted() throws Exception {
        String java = LabProcess.java().toString();
        try (LabProcess lab = start("run", java, "-cp", ".", "Program", "0")) {
            lab.await("process " + lab.process().pid());
        }
    }

    @ParameterizedTest
    @CsvSource({"TERM, 143", "INT, 130", "HUP, 129"})
    void run_signal_reachesTheProgram(String signal, int exitCode) throws Exception {
        assumeFalse(isIgnored(exitCode - 128), "nohup and the like are inherited: " + signal);
        String java = LabProcess.java().toString();
        try (LabProcess lab = start("run", java, "-cp", ".", "Program", "0")) {
            lab.await("ConfinedArena");
            Process kill =
                    new ProcessBuilder("kill", "-" + signal, "" + lab.process().pid()).start();
            assertThat(kill.waitFor(10, TimeUnit.SECONDS)).isTrue();
            Result result = lab.finish();
            assertThat(result.exitCode()).isEqualTo(exitCode);
            assertThat(result.output()).contains("hook").doesNotContain("read");
        }
    }

    /** Whether this process ignores a signal, and so all that it starts. */
    private static boolean isIgnored(int signal) throws IOException {
        String label = "SigIgn:";
        return Files.readAllLines(Path.of("/proc/self/status")).stream()
                .filter(line -> line.startsWith(label))
                .map(line -> Long.parseUnsignedLong(line.substring(label.length()).strip(), 16))
                .anyMatch(mask -> (mask >>> (signal - 1) & 1) != 0);
    }

    @Test
    void run_report_isOnStandardError() throws Exception {
        String java = LabProcess.java().toString();
        Result result =
                run(
                        "run",
                        "--report",
                        "--census",
                        "--json",
                        "c.json",
                        java,
                        "-cp",
                        ".",
                        "Program",
                        "0");
        assertThat(result.errors()).contains("to errors", "Pool common", "Census of arenas");
        assertThat(result.output()).doesNotContain("Pool");
        assertThat(folder.resolve("c.json")).content().contains("\"opened\": 1");
    }

    @Test
    void run_poolOff_leavesArenas() throws Exception {
        String java = LabProcess.java().toString();
        assertThat(run("run", "--pool", "off", java, "-cp", ".", "Program", "0").output())
                .contains("ArenaImpl");
        assertThat(run("run", "--exclude", "Prog*", java, "-cp", ".", "Program", "0").output())
                .contains("ArenaImpl");
    }

    @Test
    void run_bareJavaThatIsTooOld_takesTheLabs() throws Exception {
        Path old = Files.createDirectories(folder.resolve("old/bin"));
        Files.writeString(folder.resolve("old/release"), "JAVA_VERSION=\"17.0.1\"\n");
        Path java = Files.writeString(old.resolve("java"), "#!/bin/sh\necho old\n");
        assertThat(java.toFile().setExecutable(true)).isTrue();
        Map<String, String> environment = Map.of("PATH", old.toString());
        try (LabProcess lab =
                LabProcess.start(folder, environment, "run", "java", "-cp", ".", "Program", "3")) {
            lab.input().close();
            Result result = lab.finish();
            assertThat(result.exitCode()).isEqualTo(3);
            assertThat(result.output()).contains("ConfinedArena");
            assertThat(result.errors()).contains("is Java 17.0.1; using " + LabProcess.java());
        }
        Result named = run("run", java.toString(), "-version");
        assertThat(named.exitCode()).isEqualTo(2);
        assertThat(named.errors()).contains("Java must be 25 or newer", "17.0.1");
    }

    @Test
    void run_noJava_hasTheExitCodesOfAShell() throws Exception {
        assertThat(run("run", "nowhere/java").exitCode()).isEqualTo(127);
        Path file = Files.createFile(Files.createDirectory(folder.resolve("bin")).resolve("java"));
        Result plain = run("run", file.toString());
        assertThat(plain.exitCode()).isEqualTo(126);
        assertThat(plain.errors()).contains("cannot be executed: " + file);
        Files.writeString(file, "no program");
        assertThat(file.toFile().setExecutable(true)).isTrue();
        Result broken = run("run", file.toString());
        assertThat(broken.exitCode()).isEqualTo(126);
        assertThat(broken.errors()).contains("errno=8"); // ENOEXEC
    }

    @Test
    void run_wrongCommandLine_saysWhy() throws Exception {
        assertThat(run("run").exitCode()).isEqualTo(2);
        Result script = run("run", "mvn", "verify");
        assertThat(script.exitCode()).isEqualTo(2);
        assertThat(script.errors()).contains("command=mvn", "JDK_JAVA_OPTIONS=-javaagent:");
        Result comma = run("run", "--include", "a,b", LabProcess.java().toString());
        assertThat(comma.exitCode()).isEqualTo(2);
        assertThat(comma.errors()).contains("without comma and semicolon");
        // What the agent refuses ends the program before it begins.
        Result agent = run("run", "--pool", "x", LabProcess.java().toString(), "-version");
        assertThat(agent.exitCode()).isEqualTo(2);
        assertThat(agent.errors())
                .contains("pool must be confined, shared, both, off or unchanged: pool=x");
    }
}
