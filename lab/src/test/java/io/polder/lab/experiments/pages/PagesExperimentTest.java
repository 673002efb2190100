package io.polder.lab.experiments.pages;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.lab.harness.SmokeRun;
import io.polder.lab.report.Metric;
import io.polder.lab.report.Report;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;

/** The whole experiment on a heap too small to mean anything: everything runs. */
@EnabledOnOs(OS.LINUX)
@Tag("full")
class PagesExperimentTest {
    @Test
    void run_reportsEveryMetricAndWritesTimelines(@TempDir Path directory) throws Exception {
        List<Contender> contenders =
                List.of(Contender.POLDER, Contender.UNMAP_MAP, Contender.TYPED);
        PagesExperiment experiment = new PagesExperiment(Scale.SMOKE, Scale.SMOKE, contenders);

        Report report = new SmokeRun().of(experiment, directory);

        assertThat(report.metricNames()).isEqualTo(experiment.metricNames());
        assertThat(report.metrics())
                .filteredOn(metric -> metric.name().contains("alloc_m"))
                .extracting(Metric::value)
                .allSatisfy(value -> assertThat(value).isPositive());
        assertThat(report.metrics())
                .filteredOn(metric -> metric.name().endsWith("assembled_on_allocation"))
                .filteredOn(metric -> metric.name().contains("typed"))
                .extracting(Metric::value)
                .allSatisfy(value -> assertThat(value).isPositive());
        for (Contender contender : contenders) {
            assertThat(report.tables()).contains(contender.id());
            assertThat(directory.resolve("pages-" + contender.id() + ".csv")).isNotEmptyFile();
        }
        assertThat(experiment.about().writesCsv()).isTrue();
    }
}
