package io.polder.tools.live;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** What cannot be looked at: each case has its words, and its exit code. */
@EnabledOnOs(OS.LINUX)
class LiveRefusedTest {
    private static LiveRun report(String... arguments) {
        return LiveRun.of(new ReportCommand(), arguments);
    }

    @Test
    void noProcess_isSaid() throws Exception {
        Process ended = new ProcessBuilder("true").start();
        int _ = ended.waitFor();
        LiveRun run = report(Long.toString(ended.pid()));
        assertThat(run.err()).startsWith("polder: there is no process " + ended.pid() + ". ");
        assertThat(run.exitCode()).isEqualTo(10);
    }

    /** It is not even signalled, as attaching would do. */
    @Test
    void notAJvm_isSaidAndGoesOn() throws Exception {
        Process sleeping = new ProcessBuilder("sleep", "1000").start();
        try {
            LiveRun run = report(Long.toString(sleeping.pid()));
            assertThat(run.err()).startsWith("polder: process " + sleeping.pid() + " is no JVM. ");
            assertThat(run.exitCode()).isEqualTo(11);
            assertThat(sleeping.isAlive()).isTrue();
        } finally {
            sleeping.destroyForcibly();
        }
    }

    @Test
    void anothersProcess_isSaid() {
        Assumptions.assumeFalse(Files.isReadable(Path.of("/proc/1/maps")), "this user may do all");
        LiveRun run = report("1");
        assertThat(run.err()).startsWith("polder: process 1 belongs to ").contains("run this as");
        assertThat(run.exitCode()).isEqualTo(12);
    }

    @Test
    void attachDisabled_isSaid() throws IOException {
        try (TargetJvm jvm = TargetJvm.start(List.of("-XX:+DisableAttachMechanism"), "a")) {
            LiveRun run = report(jvm.pid());
            assertThat(run.err()).endsWith(" was started with -XX:+DisableAttachMechanism\n");
            assertThat(run.exitCode()).isEqualTo(13);
        }
    }

    /** An option need not stand on the command line, and the last one of its name counts. */
    @ParameterizedTest
    @CsvSource({
        "JAVA_TOOL_OPTIONS, -XX:+DisableAttachMechanism, 13",
        "JAVA_TOOL_OPTIONS, -Da=b -XX:+DisableAttachMechanism -XX:-UsePerfData, 13",
        "_JAVA_OPTIONS, -XX:+DisableAttachMechanism, 13",
        "JAVA_TOOL_OPTIONS, -XX:+DisableAttachMechanism -XX:-DisableAttachMechanism, 0",
    })
    void attachDisabled_byTheEnvironment_isSaid(String name, String options, int exitCode)
            throws IOException {
        try (TargetJvm jvm = TargetJvm.start(Map.of(name, options), List.of(), "a")) {
            LiveRun run = report(jvm.pid());
            assertThat(run.exitCode()).as(run.err()).isEqualTo(exitCode);
        }
    }

    @Test
    void attachDisabled_byAFile_isSaid(@TempDir Path folder) throws IOException {
        Path flags = Files.writeString(folder.resolve("flags"), "+DisableAttachMechanism\n");
        try (TargetJvm jvm = TargetJvm.start(List.of("-XX:Flags=" + flags), "a")) {
            LiveRun run = report(jvm.pid());
            assertThat(run.err()).contains(" does not let this command attach");
            assertThat(run.exitCode()).isEqualTo(13);
        }
    }

    /** What stands behind the main class is the program's. */
    @Test
    void attachDisabled_asAnArgumentOfTheProgram_meansNothing() throws IOException {
        try (TargetJvm jvm = TargetJvm.start("a", "-XX:+DisableAttachMechanism")) {
            assertThat(report(jvm.pid()).exitCode()).isZero();
        }
    }

    @Tag("full")
    @Test
    void withoutPolder_isSaid() throws IOException {
        try (TargetJvm jvm = TargetJvm.start()) {
            LiveRun run = report(jvm.pid());
            assertThat(run.err())
                    .isEqualTo(
                            "polder: PID "
                                    + jvm.pid()
                                    + " (io.polder.tools.live.LiveTarget) does not use Polder:"
                                    + " class io.polder.MemoryPool is not loaded\n");
            assertThat(run.exitCode()).isEqualTo(17);
        }
    }

    @Tag("full")
    @Test
    void beansTurnedOff_isSaid() throws IOException {
        try (TargetJvm jvm = TargetJvm.start(List.of("-Dpolder.mxbean=false"), "a")) {
            LiveRun run = report(jvm.pid());
            assertThat(run.err()).contains(" runs with -Dpolder.mxbean=false");
            assertThat(run.exitCode()).isEqualTo(17);
        }
    }

    @Tag("full")
    @Test
    void noSuchPool_isSaidWithThoseThereAre() throws IOException {
        try (TargetJvm jvm = TargetJvm.start(List.of("-XX:-UsePerfData"), "a", "b")) {
            LiveCommandsTest.awaitPools(jvm, 3);
            LiveRun run = report(jvm.pid(), "--pool", "c");
            assertThat(run.err()).endsWith(" has no pool 'c'; there are: a, b, common\n");
            assertThat(run.exitCode()).isEqualTo(17);
        }
    }

    @Test
    void stopped_isSaidAtOnce() throws Exception {
        try (TargetJvm jvm = TargetJvm.start("a")) {
            jvm.signal("STOP");
            for (LiveCommand command :
                    List.of(
                            new ReportCommand(),
                            new MapCommand(),
                            new TopCommand(),
                            new LeaksCommand(),
                            new BaselineCommand(),
                            new DiffCommand())) {
                LiveRun run = LiveRun.of(command, jvm.pid());
                assertThat(run.err())
                        .startsWith("polder: process " + jvm.pid() + " is stopped, as by kill")
                        .endsWith("; kill -CONT " + jvm.pid() + " lets it go on\n");
                assertThat(run.exitCode()).isEqualTo(18);
            }
        }
    }

    /** It got no signal, which it would act on when it goes on. */
    @Tag("full")
    @Test
    void stoppedAndGoesOn_isReported() throws Exception {
        try (TargetJvm jvm = TargetJvm.start("a")) {
            jvm.signal("STOP");
            assertThat(report(jvm.pid()).exitCode()).isEqualTo(18);
            jvm.signal("CONT");
            assertThat(report(jvm.pid()).exitCode()).isZero();
        }
    }

    @Tag("full")
    @Test
    void stopped_whileItIsLookedAt_isSaidInTime() throws Exception {
        try (TargetJvm jvm = TargetJvm.start("gamma")) {
            LiveCommandsTest.awaitPools(jvm, 2); // its agent is up then
            StoppableOutput out = new StoppableOutput(2, () -> jvm.signal("STOP"));
            LiveRun run =
                    out.run(new TopCommand(), jvm.pid(), "--interval", "0.1", "--timeout", "10");
            assertThat(run.err()).contains(" is stopped").endsWith("Waited 10 s, see --timeout\n");
            assertThat(run.exitCode()).isEqualTo(18);
        }
    }

    @ParameterizedTest
    @CsvSource({"0", "-1", "3601"})
    void timeout_outOfRange_isAUsageError(String seconds) {
        LiveRun run = LiveRun.of(new MapCommand(), "1", "--timeout=" + seconds);
        assertThat(run.err()).contains("--timeout must be from 1 to 3600 seconds: " + seconds);
        assertThat(run.exitCode()).isEqualTo(2);
    }

    @Test
    void itself_isSaid() {
        LiveRun run = report(Long.toString(ProcessHandle.current().pid()));
        assertThat(run.err()).contains(" is this command itself");
        assertThat(run.exitCode()).isEqualTo(17);
    }

    @Test
    void withoutPid_jvmsAreListed() throws IOException {
        try (TargetJvm jvm = TargetJvm.start(List.of(), "a")) {
            for (LiveCommand command :
                    List.of(new ReportCommand(), new MapCommand(), new TopCommand())) {
                LiveRun run = LiveRun.of(command);
                assertThat(run.err())
                        .startsWith("name the process to look at. JVMs that run:\n")
                        .contains(jvm.pid() + "  io.polder.tools.live.LiveTarget");
                assertThat(run.exitCode()).isEqualTo(2);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"abc, 'abc'", "-1, PID must be positive", "0, PID must be positive"})
    void pid_thatIsNone_isAUsageError(String pid, String message) {
        LiveRun run = LiveRun.of(new MapCommand(), "--", pid);
        assertThat(run.err()).contains(message).contains("Usage:");
        assertThat(run.exitCode()).isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource({"0", "0.05", "3601", "NaN", "-1"})
    void interval_outOfRange_isAUsageError(String seconds) {
        LiveRun run = LiveRun.of(new TopCommand(), "1", "--interval=" + seconds);
        assertThat(run.err()).contains("--interval must be from 0.1 to 3600 seconds");
        assertThat(run.exitCode()).isEqualTo(2);
    }
}
