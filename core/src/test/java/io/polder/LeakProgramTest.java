package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** What programs that leak are told, while they run and when they end. */
@EnabledOnOs(OS.LINUX)
class LeakProgramTest {
    @Test
    void forgotten_inAProgram_isLogged() {
        ChildJvm.Result result = probe("log", "");
        assertThat(result.out()).isEqualTo("leaked=3 bytes=49152\n");
        assertThat(result.exitCode()).isZero();
        assertThat(result.err())
                .contains(
                        "WARNING: a confined arena was never closed, and nobody can do it any more:"
                                + " pool=common, bytes=16384, thread=main, leaksFound=1\n"
                                + "It was opened:\n"
                                + "\tat io.polder.LeakProbe.forget(LeakProbe.java:");
        // The rest is told at the end, unless the JDK has closed its loggers by then.
        assertThat(result.err().split("WARNING", -1)).hasSizeBetween(2, 3);
    }

    @Test
    void forgotten_inAProgramThatEndsAtOnce_isToldAtTheEnd() {
        ChildJvm.Result result = probe("end", "");
        assertThat(result.out()).isEqualTo("leaked=3 bytes=49152\n");
        assertThat(result.err())
                .contains("leaksFound=3")
                .contains("\tat io.polder.LeakProbe.forget(LeakProbe.java:");
    }

    /**
     * The last collection finds it, among many others: the JVM ends before all of those are in its
     * queues.
     */
    @Test
    void forgotten_foundByTheLastCollection_isToldAtTheEnd() {
        ChildJvm.Result result = probe("last", "");
        assertThat(result.out()).isEqualTo("ends\n");
        assertThat(result.err())
                .contains("leaksFound=1")
                .contains("\tat io.polder.LeakProbe.forget(LeakProbe.java:");
    }

    /** Code that is compiled, with the pool as a constant, is told as well. */
    @Test
    void watch_theCommonPoolLaterOn_reachesCompiledCode() {
        ChildJvm.Result result = probe("late", "");
        assertThat(result.out()).isEqualTo("found, and no more after it was off\n");
    }

    /** A logger that never returns holds up the end of the JVM for some seconds. */
    @Tag("full")
    @Test
    void forgotten_loggerWaitsForEver_theProgramEndsAllTheSame(@TempDir Path directory)
            throws IOException {
        ChildJvm.Result result = probe("end", StuckLoggers.on(directory));
        assertThat(result.out()).isEqualTo("leaked=3 bytes=49152\n");
        assertThat(result.exitCode()).isZero();
        assertThat(result.err()).contains("the logger waits");
    }

    private static ChildJvm.Result probe(String what, String more) {
        String path = ChildJvm.classPath();
        return ChildJvm.java(
                List.of(
                        "--enable-native-access=ALL-UNNAMED",
                        "-Duser.language=en",
                        what.equals("late") ? "-Dpolder.leaks=off" : "-Dpolder.leaks=all",
                        "-cp",
                        more.isEmpty() ? path : path + File.pathSeparator + more,
                        "io.polder.LeakProbe",
                        what));
    }
}
