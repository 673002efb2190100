package io.polder.lab.experiments.confined;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.lab.harness.Context;
import io.polder.lab.report.Metric;
import io.polder.lab.report.Report;
import io.polder.tools.terminal.ProgressLines;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** The whole experiment in batches too short to mean anything: everything runs. */
@Tag("full")
class ConfinedExperimentTest {
    @Test
    void run_reportsEveryMetric() throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        PrintStream stream = new PrintStream(bytes, true, StandardCharsets.UTF_8);
        ConfinedExperiment experiment = new ConfinedExperiment(Scale.SMOKE, Scale.SMOKE);

        Report report = experiment.run(new Context(true, 3, new ProgressLines(stream)));

        assertThat(report.metricNames()).isEqualTo(experiment.metricNames());
        assertThat(report.metrics())
                .filteredOn(metric -> !metric.name().endsWith("heap_bytes_per_op"))
                .extracting(Metric::value)
                .allSatisfy(value -> assertThat(value).isPositive());
        assertThat(report.jvmArgs()).contains("-Dpolder.bench.seed=3");
        for (Workload workload : Workload.ALL) {
            assertThat(report.tables()).contains(workload.label());
            assertThat(bytes.toString(StandardCharsets.UTF_8)).contains(workload.longLabel());
        }
    }
}
