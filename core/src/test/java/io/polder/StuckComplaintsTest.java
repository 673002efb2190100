package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Bad settings are told before the JVM ends; a logger that never returns does not keep it. */
class StuckComplaintsTest {
    @Tag("full")
    @ParameterizedTest
    @ValueSource(strings = {"polder.blocks.check", "polder.confined.slab.size", "polder.leaks"})
    void complaint_loggerWaitsForEver_theProgramEndsAllTheSame(
            String property, @TempDir Path directory) throws IOException {
        ChildJvm.Result result =
                ChildJvm.java(
                        List.of(
                                ChildJvm.NATIVE_ACCESS,
                                "-D" + property + "=bogus",
                                "-cp",
                                ChildJvm.classPath()
                                        + File.pathSeparator
                                        + StuckLoggers.on(directory),
                                StuckComplaintsProbe.class.getName()));
        assertThat(result.out()).isEqualTo("main ends\n");
        assertThat(result.err()).contains("the logger waits");
        assertThat(result.exitCode()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"polder.blocks.check", "polder.confined.slab.size", "polder.leaks"})
    void complaint_programThatEndsAtOnce_isTold(String property) {
        ChildJvm.Result result =
                ChildJvm.program(
                        List.of(ChildJvm.NATIVE_ACCESS, "-D" + property + "=bogus"),
                        StuckComplaintsProbe.class);
        assertThat(result.out()).isEqualTo("main ends\n");
        assertThat(result.err()).contains(property).contains("bogus");
        assertThat(result.exitCode()).isZero();
    }
}
