package io.polder.lab.experiments.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polder.lab.harness.InputException;
import io.polder.lab.harness.SmokeRun;
import io.polder.lab.report.Metric;
import io.polder.lab.report.Report;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/**
 * The whole experiment on a log that a JVM wrote: OpenJDK 25.0.3 while a program made for it opened
 * four generations of forty class loaders with one small class each and dropped them one by one.
 * Only the lines of arenas were kept.
 */
class ReplayExperimentTest {
    @TempDir private Path directory;

    @Test
    void run_logOfAJvm_reportsEveryMetric() throws Exception {
        Path log = directory.resolve("loaders.log.gz");
        try (InputStream resource =
                Objects.requireNonNull(getClass().getResourceAsStream("loaders.log.gz"))) {
            Files.copy(resource, log);
        }

        Report report = run(log);

        assertThat(report.metricNames()).isEqualTo(new ReplayExperiment().metricNames());
        assertThat(report.metrics())
                .extracting(Metric::value)
                .satisfiesExactly(
                        peak -> assertThat(peak).isGreaterThanOrEqualTo(1),
                        valley -> assertThat(valley).isGreaterThanOrEqualTo(1),
                        committed -> assertThat(committed).isZero(),
                        rate -> assertThat(rate).isPositive());
        // The valley: one generation of loaders is left, and the JVM's own.
        assertThat(report.tables()).containsPattern(" 86 .* valley, trimmed\n");
        assertThat(report.tables()).contains("peak", "valley, trimmed", "all closed, trimmed");
        assertThat(report.jvmArgs()).anyMatch(arg -> arg.startsWith("-Xmx"));
    }

    @Tag("full")
    @Test
    void run_rotatedLog_readsAllParts() throws Exception {
        Files.writeString(directory.resolve("x.log.0"), new Logs().born(1).requested(1, 64).text());
        Path newest =
                Files.writeString(
                        directory.resolve("x.log"), new Logs().after(1).requested(1, 64).text());

        Report report = run(newest);

        assertThat(report.tables())
                .contains("x.log.0\n", "x.log\n", "3 lines: 2 requests of 1 owners");
    }

    @Test
    void run_brokenLog_isFoundBeforeTheReplay() throws Exception {
        Path broken =
                Files.writeString(
                        directory.resolve("x.log"), new Logs().born(1).text() + "hello\n");

        assertThatThrownBy(() -> run(broken))
                .isInstanceOf(InputException.class)
                .hasMessageContaining("x.log, line 2: a line begins with the JVM's uptime");
    }

    @Test
    void run_missingFile_isRefused() {
        assertThatThrownBy(() -> run(directory.resolve("missing.log")))
                .isInstanceOf(InputException.class)
                .hasMessageContaining("missing.log: there is no such file");
    }

    private static Report run(Path log) throws Exception {
        return new SmokeRun().of(new ReplayExperiment(), 1, List.of(log), null);
    }
}
