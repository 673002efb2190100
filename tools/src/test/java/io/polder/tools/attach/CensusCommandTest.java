package io.polder.tools.attach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import io.polder.tools.PolderProcess;
import io.polder.tools.PolderProcess.Result;
import io.polder.tools.live.LiveRun;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

@EnabledOnOs(OS.LINUX)
class CensusCommandTest {
    /** Opens arenas in a method of its own, until its input ends. */
    private static final String PROGRAM =
            """
            import java.lang.foreign.Arena;
            public class Busy {
                public static void main(String[] arguments) throws Exception {
                    System.out.println("begun");
                    while (System.in.available() == 0) {
                        open();
                        Thread.sleep(1);
                    }
                }
                static void open() {
                    try (Arena arena = Arena.ofConfined()) {
                        arena.allocate(24);
                    }
                }
            }
            """;

    @TempDir private static Path classes;
    @TempDir private Path folder;
    private final List<Process> started = new ArrayList<>();
    private List<String> launcher = List.of();

    @BeforeAll
    static void compile() throws IOException {
        Path source = Files.writeString(classes.resolve("Busy.java"), PROGRAM);
        var compiler = javax.tools.ToolProvider.getSystemJavaCompiler();
        assertThat(compiler.run(null, null, null, source.toString())).isZero();
    }

    @AfterEach
    void tearDown() throws InterruptedException {
        for (Process process : started) {
            process.destroyForcibly().waitFor();
        }
    }

    /** Starts the program in a JVM whose temporary directory can be looked at. */
    private long busy(String... jvmArguments) throws Exception {
        Files.createDirectories(folder.resolve("tmp"));
        List<String> command = new ArrayList<>(launcher);
        command.add(PolderProcess.java().toString());
        command.add("-XX:TieredStopAtLevel=1");
        command.add("-Djava.io.tmpdir=" + folder.resolve("tmp"));
        command.addAll(List.of(jvmArguments));
        command.addAll(List.of("-cp", classes.toString(), "Busy"));
        ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
        builder.redirectError(folder.resolve("busy.err").toFile());
        Process process = builder.start();
        started.add(process);
        assertThat(PolderProcess.line(process, process.inputReader())).isEqualTo("begun");
        return process.pid();
    }

    /** Takes one from this JVM, as the command does from a JVM of its own. */
    private static LiveRun census(Object... words) {
        return LiveRun.of(
                new CensusCommand(), Stream.of(words).map(Object::toString).toArray(String[]::new));
    }

    /** Of a second; once more if the program had no turn in that second, on a busy machine. */
    private static LiveRun censusThatCounts(long pid, String... words) {
        Object[] all = Stream.concat(Stream.of(pid, "--seconds", 1), Stream.of(words)).toArray();
        LiveRun result = census(all);
        for (int more = 0; more < 30 && !result.out().contains("Busy.open"); more++) {
            result = census(all);
        }
        return result;
    }

    @Test
    void census_running_isPrintedAndNothingStays() throws Exception {
        long pid = busy();
        Path json = folder.resolve("census.json");
        for (int round = 0; round < 2; round++) {
            LiveRun result = censusThatCounts(pid, "--json=" + json);
            assertThat(result.exitCode()).as(result.err()).isZero();
            assertThat(result.out())
                    .startsWith("Census of arenas: ")
                    .contains("process " + pid, "Busy.open(Busy.java:11)");
            JsonNode sites = new ObjectMapper().readTree(json.toFile()).get("sites");
            assertThat(sites).hasSize(1);
            JsonNode counts = sites.get(0).get("counts");
            assertThat(counts.get("closed").asLong()).isPositive();
            long ended = counts.get("closed").asLong() * 24;
            // One may be open, or between its two counts.
            assertThat(counts.get("bytes").asLong()).isBetween(ended - 24, ended + 24);
            assertThat(filesOfProgram()).isEmpty();
        }
    }

    @Tag("full")
    @Test
    void census_programThatEnds_isPrintedAsFarAsItCame() throws Exception {
        long pid = busy();
        String[] words = {"census", "" + pid, "--seconds", "3600"};
        try (PolderProcess lab = PolderProcess.start(folder, Map.of(), words)) {
            awaitCounting();
            started.getFirst().getOutputStream().close();
            started.getFirst().destroy();
            Result result = lab.finish();
            assertThat(result.exitCode()).as(result.errors()).isZero();
            assertThat(result.output()).contains("process " + pid);
        }
    }

    @Tag("full")
    @Test
    void census_twiceAtOnce_secondIsRefused() throws Exception {
        long pid = busy();
        String[] words = {"census", "" + pid, "--seconds", "3600"};
        try (PolderProcess lab = PolderProcess.start(folder, Map.of(), words)) {
            awaitCounting();
            LiveRun second = census(pid, "--seconds", 1);
            assertThat(second.exitCode()).isEqualTo(15);
            assertThat(second.err()).contains("a census must end before the next one");
            lab.process().destroy();
            lab.finish();
            assertThat(filesOfProgram()).isEmpty();
        }
        assertThat(started.getFirst().isAlive()).isTrue();
        // Who asked has gone, and so the census ends long before its hour is over.
        LiveRun third = census(pid, "--seconds", 1);
        // Who is counted looks for that once a second.
        for (int attempt = 0; attempt < 120 && third.exitCode() == 15; attempt++) {
            Thread.sleep(250);
            third = census(pid, "--seconds", 1);
        }
        assertThat(third.exitCode()).as(third.err()).isZero();
    }

    @Tag("full")
    @Test
    void census_relativeTemporaryDirectory_isFound() throws Exception {
        LiveRun result = censusThatCounts(busy("-Djava.io.tmpdir=tmp"));
        assertThat(result.exitCode()).as(result.err()).isZero();
        assertThat(result.out()).contains("Busy.open(Busy.java");
        assertThat(filesOfProgram()).isEmpty();
    }

    /** A JVM takes no agent from there. */
    @Test
    void census_agentInAnOddPlace_isTakenByACopy() throws Exception {
        String plain = System.getProperty(AgentJar.PROPERTY);
        Path odd = Files.createDirectory(folder.resolve("a=b")).resolve("polder-agent.jar");
        Files.copy(Path.of(plain), odd);
        try {
            System.setProperty(AgentJar.PROPERTY, odd.toString());
            LiveRun result = census(busy(), "--seconds", 1);
            assertThat(result.err()).startsWith("Counting arenas of process ").hasLineCount(1);
            assertThat(result.exitCode()).isZero();
        } finally {
            System.setProperty(AgentJar.PROPERTY, plain);
        }
        assertThat(filesOfProgram()).isEmpty();
    }

    @Test
    void census_ofAnotherUser_isRefusedToRootAsWell() throws Exception {
        assumeTrue(succeeds("setpriv", "--reuid=65534", "--clear-groups", "true"));
        Process other =
                new ProcessBuilder("setpriv", "--reuid=65534", "--clear-groups", "sleep", "600")
                        .start();
        started.add(other);
        Path status = Path.of("/proc/" + other.pid() + "/status");
        while (!Files.readString(status).contains("Uid:\t65534")) {
            assertThat(other.isAlive()).isTrue();
        }
        LiveRun result = census(other.pid());
        assertThat(result.exitCode()).isEqualTo(12);
        assertThat(result.err()).contains("process " + other.pid() + " belongs to ", "run this");
        assertThat(other.isAlive()).isTrue();
    }

    /** As in a container: the other's files are behind /proc/PID/root. */
    @Tag("full")
    @Test
    void census_ofAnotherMountNamespace_isTakenAndLeavesNothing() throws Exception {
        assumeTrue(succeeds("unshare", "--mount", "true"));
        launcher = List.of("unshare", "--mount");
        LiveRun result = censusThatCounts(busy());
        assertThat(result.exitCode()).as(result.err()).isZero();
        assertThat(result.out()).contains("Busy.open(Busy.java");
        assertThat(filesOfProgram()).isEmpty();
    }

    /** As in a container whose files cannot be written. */
    @Tag("full")
    @Test
    void census_whereNothingCanBeWrittenToTmp_isSaid() throws Exception {
        assumeTrue(succeeds("unshare", "--mount", "true"));
        String readOnly =
                "mount --bind /tmp /tmp; mount -o remount,ro,bind /tmp; exec \"$0\" \"$@\"";
        launcher = List.of("unshare", "--mount", "sh", "-c", readOnly);
        LiveRun result = census(busy(), "--timeout", 3);
        assertThat(result.err()).contains("nothing can be written to its /tmp");
        assertThat(result.exitCode()).isEqualTo(15);
    }

    @Tag("full")
    @Test
    void census_jsonToALinkAndADevice_goesThroughIt() throws Exception {
        long pid = busy();
        Path target = Files.writeString(folder.resolve("target.json"), "old");
        Path link = Files.createSymbolicLink(folder.resolve("link.json"), target);
        assertThat(census(pid, "--seconds", 1, "--json=" + link).exitCode()).isZero();
        assertThat(link).isSymbolicLink();
        assertThat(target).content().contains("\"sites\"");
        LiveRun printed = census("--seconds", 1, "--json", pid);
        assertThat(new ObjectMapper().readTree(printed.out()).has("sites")).isTrue();
        Path device = Files.createSymbolicLink(folder.resolve("null"), Path.of("/dev/null"));
        assertThat(census(pid, "--seconds", 1, "--json=" + device).exitCode()).isZero();
        assertThat(device).isSymbolicLink();
        Path inFile = target.resolve("census.json");
        assertThat(census(pid, "--seconds", 1, "--json=" + inFile).exitCode()).isEqualTo(2);
    }

    private static boolean succeeds(String... command) throws Exception {
        try {
            return new ProcessBuilder(command).start().waitFor() == 0;
        } catch (IOException e) {
            return false;
        }
    }

    @Tag("full")
    @Test
    void census_agentsDisabled_isSaid() throws Exception {
        for (String option :
                List.of("-XX:-EnableDynamicAgentLoading", "-XX:+DisableAttachMechanism")) {
            LiveRun result = census(busy(option));
            assertThat(result.exitCode()).isEqualTo(13);
            assertThat(result.err()).contains("was started with " + option);
        }
    }

    @Tag("full")
    @Test
    void census_imageWithoutAgents_isSaid() throws Exception {
        String jlink = PolderProcess.java().resolveSibling("jlink").toString();
        Path image = folder.resolve("image");
        assumeTrue(succeeds(jlink, "--add-modules", "java.base", "--output", image.toString()));
        launcher = List.of("sh", "-c", "exec " + image.resolve("bin/java") + " \"$@\"");
        LiveRun result = census(busy(), "--seconds", 1);
        assertThat(result.err())
                .contains(" cannot use the agent: its runtime lacks module java.instrument")
                .doesNotContain("able to read");
        assertThat(result.exitCode()).isEqualTo(15);
    }

    /** As on a full disk: the program answers, and can write nothing. */
    @Tag("full")
    @Test
    void census_thatTheProgramCannotWrite_isSaid() throws Exception {
        launcher = List.of("sh", "-c", "ulimit -f 0; exec \"$0\" \"$@\"");
        LiveRun result = census(busy("-XX:-UsePerfData"), "--seconds", 1);
        assertThat(result.exitCode()).isEqualTo(18);
        assertThat(result.err())
                .contains(" has written no census to " + folder.resolve("tmp"))
                .contains("or its disk is full");
        assertThat(filesOfProgram()).isEmpty();
    }

    @Test
    void census_noJvm_getsNoSignal() throws Exception {
        Process sleep = new ProcessBuilder("sleep", "600").start();
        started.add(sleep);
        LiveRun result = census(sleep.pid());
        assertThat(result.exitCode()).isEqualTo(11);
        assertThat(result.err()).contains("process " + sleep.pid() + " is no JVM");
        assertThat(sleep.isAlive()).isTrue();
    }

    @Test
    void census_stopped_isSaidAtOnce() throws Exception {
        long pid = busy();
        assertThat(succeeds("kill", "-STOP", "" + pid)).isTrue();
        LiveRun result = census(pid, "--seconds", 1);
        assertThat(result.exitCode()).isEqualTo(18);
        assertThat(result.err()).contains("process " + pid + " is stopped");
        assertThat(filesOfProgram()).isEmpty();
    }

    @Tag("full")
    @Test
    void census_stoppedMeanwhile_isSaidInTime() throws Exception {
        long pid = busy();
        String[] words = {"census", "" + pid, "--seconds", "3600", "--timeout", "10"};
        try (PolderProcess lab = PolderProcess.start(folder, Map.of(), words)) {
            awaitCounting();
            assertThat(succeeds("kill", "-STOP", "" + pid)).isTrue();
            Result result = lab.finish();
            assertThat(result.exitCode()).isEqualTo(18);
            assertThat(result.errors()).contains("process " + pid + " is stopped", "Waited 10 s");
        }
    }

    @Test
    void census_noProcess_isSaid() throws Exception {
        Process gone = new ProcessBuilder("true").start();
        gone.waitFor();
        LiveRun result = census(gone.pid());
        assertThat(result.exitCode()).isEqualTo(10);
        assertThat(result.err()).contains("there is no process " + gone.pid());
    }

    @Test
    void census_wrongCommandLine_listsJvms() throws Exception {
        long pid = busy();
        LiveRun nothing = census();
        assertThat(nothing.exitCode()).isEqualTo(2);
        assertThat(nothing.err()).contains("name the process", pid + "  Busy");
        assertThat(census(pid, "--seconds", 0).exitCode()).isEqualTo(2);
        assertThat(census("x").exitCode()).isEqualTo(2);
        assertThat(census(pid, "--json=/nowhere/at/all").exitCode()).isEqualTo(2);
    }

    private List<Path> filesOfProgram() throws IOException {
        try (Stream<Path> files = Files.list(folder.resolve("tmp"))) {
            return files.filter(file -> file.getFileName().toString().startsWith("polder"))
                    .toList();
        }
    }

    /** The agent was loaded; what it rewrites is rewritten when the JVM answers again. */
    private void awaitCounting() throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(300);
        String said = "";
        while (!said.contains("Counting arenas")) {
            assertThat(System.nanoTime()).as(said).isLessThan(deadline);
            TimeUnit.MILLISECONDS.sleep(20);
            said = "";
            try (Stream<Path> files = Files.list(folder)) {
                for (Path file : files.filter(f -> f.toString().endsWith(".err")).toList()) {
                    said += Files.readString(file);
                }
            }
        }
    }
}
