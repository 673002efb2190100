package io.polder.lab.experiments.blocks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polder.lab.harness.ExperimentException;
import io.polder.lab.harness.MallocLibrary;
import io.polder.lab.harness.SmokeRun;
import io.polder.lab.report.Metric;
import io.polder.lab.report.Report;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** The whole experiment, too short to mean anything: everything runs. */
class BlocksExperimentTest {
    @Tag("full")
    @Test
    void run_reportsEveryMetricAndWritesItsSamples(@TempDir Path directory) throws Exception {
        BlocksExperiment experiment = new BlocksExperiment(Scale.SMOKE, Scale.SMOKE, Map.of());

        Report report = new SmokeRun().of(experiment, directory);

        assertThat(report.metricNames()).isEqualTo(experiment.metricNames());
        assertThat(report.metrics())
                .filteredOn(metric -> metric.name().contains("_ratio."))
                .extracting(Metric::value)
                .allSatisfy(value -> assertThat(value).isPositive());
        assertThat(report.metrics())
                .filteredOn(metric -> metric.name().equals("blocks.final_committed_bytes"))
                .extracting(Metric::value)
                .containsExactly(0.0);
        for (String name : List.of("time", "peak", "burst")) {
            assertThat(directory.resolve("blocks-" + name + ".csv")).isNotEmptyFile();
        }
        assertThat(Files.readAllLines(directory.resolve("blocks-burst.csv")))
                .filteredOn(line -> line.startsWith("polder,1,idle"))
                .hasSize(Scale.SMOKE.idleSeconds() + 1);
    }

    @Tag("full")
    @Test
    void run_libraryThatCannotBePreloaded_isNotMeasuredAsAnotherOne(@TempDir Path directory)
            throws Exception {
        Path library = Files.writeString(directory.resolve("libtcmalloc.so"), "not a library");
        BlocksExperiment experiment =
                new BlocksExperiment(
                        Scale.SMOKE, Scale.SMOKE, Map.of(MallocLibrary.TCMALLOC, library));

        assertThat(experiment.metricNames()).anyMatch(name -> name.endsWith(".tcmalloc"));
        assertThatThrownBy(() -> new SmokeRun().of(experiment))
                .isInstanceOf(ExperimentException.class)
                .hasMessageContaining("Timing tcmalloc-")
                .hasMessageContaining("malloc must come from the library that was preloaded");
    }
}
