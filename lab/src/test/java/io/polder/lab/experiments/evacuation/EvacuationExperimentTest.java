package io.polder.lab.experiments.evacuation;

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

/** The whole experiment on heaps too small to mean anything: everything runs. */
@EnabledOnOs(OS.LINUX)
@Tag("full")
class EvacuationExperimentTest {
    @Test
    void run_reportsEveryMetricAndWritesTimelines(@TempDir Path directory) throws Exception {
        EvacuationExperiment experiment = new EvacuationExperiment(Scale.SMOKE, Scale.SMOKE);
        SmokeRun run = new SmokeRun();

        Report report = run.of(experiment, directory);

        assertThat(report.metricNames()).isEqualTo(experiment.metricNames());
        assertThat(report.metrics())
                .filteredOn(metric -> metric.name().startsWith("gate."))
                .extracting(Metric::value)
                .allSatisfy(value -> assertThat(value).isPositive());
        assertThat(report.metrics())
                .filteredOn(metric -> metric.name().endsWith(".ops_per_second"))
                .hasSize(3)
                .extracting(Metric::value)
                .allSatisfy(value -> assertThat(value).isPositive());
        assertThat(report.metrics())
                .filteredOn(metric -> metric.name().equals("evacuation.oom_cycles"))
                .extracting(Metric::value)
                .allSatisfy(value -> assertThat(value).isPositive());
        assertThat(report.metrics())
                .filteredOn(metric -> metric.name().equals("evacuation.lost_objects"))
                .extracting(Metric::value)
                .containsExactly(0.0);
        assertThat(report.tables()).contains("95 % deleted");
        assertThat(run.shown()).contains("gates", "a reader stalls", "a full heap");
        for (ShiftContender contender : ShiftContender.values()) {
            assertThat(directory.resolve("evacuation-" + contender.id() + ".csv")).isNotEmptyFile();
        }
        assertThat(experiment.about().writesCsv()).isTrue();
    }
}
