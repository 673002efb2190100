package io.polder.lab.experiments.confined;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.lab.harness.SmokeRun;
import io.polder.lab.report.Metric;
import io.polder.lab.report.Report;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The whole experiment in batches too short to mean anything: everything runs. */
@Tag("full")
class ConfinedExperimentTest {
    @Test
    void run_reportsEveryMetric() throws Exception {
        SmokeRun run = new SmokeRun();
        ConfinedExperiment experiment = new ConfinedExperiment(Scale.SMOKE, Scale.SMOKE);

        Report report = run.of(experiment);

        assertThat(report.metricNames()).isEqualTo(experiment.metricNames());
        assertThat(report.metrics())
                .filteredOn(metric -> !metric.name().endsWith("heap_bytes_per_op"))
                .extracting(Metric::value)
                .allSatisfy(value -> assertThat(value).isPositive());
        assertThat(report.jvmArgs()).contains("-Dpolder.bench.seed=3");
        for (Workload workload : Workload.ALL) {
            assertThat(report.tables()).contains(workload.label());
            assertThat(run.shown()).contains(workload.longLabel());
        }
    }
}
