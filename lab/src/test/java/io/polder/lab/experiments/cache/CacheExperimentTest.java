package io.polder.lab.experiments.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.lab.harness.SmokeRun;
import io.polder.lab.report.Metric;
import io.polder.lab.report.Report;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** The whole experiment, too short to mean anything: everything runs. */
@EnabledOnOs(OS.LINUX)
@Tag("full")
class CacheExperimentTest {
    private static final Scale SMOKE =
            new Scale(
                    new Scale.Memory(16 << 20, Duration.ofMillis(50)),
                    new Scale.Traffic(List.of(2000, 5000), 1, Duration.ofMillis(20)),
                    500);

    @Test
    void run_reportsEveryMetric() throws Exception {
        CacheExperiment experiment = new CacheExperiment(SMOKE, SMOKE, new Downloads(List.of()));

        Report report = new SmokeRun().of(experiment);

        assertThat(report.metricNames()).isEqualTo(experiment.metricNames());
        assertThat(report.warnings()).isEmpty();
        assertThat(report.metrics())
                .filteredOn(metric -> metric.name().matches(".*_per_s|.*_us"))
                .hasSize(2 * 3)
                .extracting(Metric::value)
                .allSatisfy(value -> assertThat(value).isPositive());
        assertThat(report.tables()).contains("2,000 entries", "5,000 entries");
    }

    @Test
    void run_contenderThatFails_isSaidToHaveFailed(@TempDir Path folder) throws Exception {
        Files.createFile(folder.resolve("stamp"));
        Files.createDirectory(folder.resolve("lib"));
        Files.createFile(folder.resolve("broken.jar"));
        CacheExperiment experiment = new CacheExperiment(SMOKE, SMOKE, Downloads.in(folder));

        Report report = new SmokeRun().of(experiment);

        assertThat(experiment.metricNames()).contains("cache.ohc.bytes_per_entry");
        assertThat(report.metricNames())
                .contains("cache.polder.bytes_per_entry", "cache.caffeine.bytes_per_entry")
                .doesNotContain("cache.ohc.bytes_per_entry");
        assertThat(report.warnings())
                .hasSize(5)
                .anySatisfy(
                        warning ->
                                assertThat(warning)
                                        .startsWith("ohc, memory was not measured: ")
                                        .contains("a contender must be on the class path"));
    }
}
