package io.polder.lab.experiments.elasticity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polder.lab.experiments.elasticity.Contender.Kind;
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

/** The whole experiment on workloads too small to mean anything: everything runs. */
class ElasticityExperimentTest {
    private final SmokeRun run = new SmokeRun();

    @Tag("full")
    @Test
    void run_reportsEveryMetricAndWritesTimelines(@TempDir Path directory) throws Exception {
        ElasticityExperiment experiment =
                new ElasticityExperiment(Scale.SMOKE, Scale.SMOKE, Map.of());

        Report report = run.of(experiment, directory);

        assertThat(report.metricNames()).isEqualTo(experiment.metricNames());
        assertThat(report.metrics())
                .filteredOn(metric -> metric.name().contains("over_used"))
                .extracting(Metric::value)
                .allSatisfy(value -> assertThat(value).isGreaterThanOrEqualTo(1));
        assertThat(report.metrics())
                .filteredOn(metric -> metric.name().contains("_ratio."))
                .extracting(Metric::value)
                .allSatisfy(value -> assertThat(value).isPositive());
        assertThat(report.jvmArgs()).contains("-XX:+UseSerialGC");
        for (Workload workload : Workload.ALL) {
            assertThat(report.tables()).contains(workload.id());
            assertThat(run.shown()).contains(workload.id());
            for (String contender :
                    List.of("polder", "polder-steady", "glibc", "glibc-asked", "glibc-steady")) {
                assertThat(directory.resolve(workload.id() + "-" + contender + ".csv"))
                        .isNotEmptyFile();
            }
        }
    }

    @Tag("full")
    @Test
    void run_libraryThatCannotBePreloaded_isNotMeasuredAsAnotherOne(@TempDir Path directory)
            throws Exception {
        Path library = Files.writeString(directory.resolve("libjemalloc.so.2"), "not a library");
        ElasticityExperiment experiment =
                new ElasticityExperiment(
                        Scale.SMOKE, Scale.SMOKE, Map.of(MallocLibrary.JEMALLOC, library));

        assertThat(experiment.metricNames()).anyMatch(name -> name.endsWith(".jemalloc"));
        assertThatThrownBy(() -> run.of(experiment))
                .isInstanceOf(ExperimentException.class)
                .hasMessageContaining("5x80x100 on jemalloc")
                .hasMessageContaining("malloc must come from the library that was preloaded");
    }

    @Test
    void measures_quick_leavesOutWhatNoMetricNeeds() {
        Contender listed = Contender.malloc(Kind.LISTED, MallocLibrary.JEMALLOC);
        Contender asked = Contender.malloc(Kind.ASKED, MallocLibrary.GLIBC);

        assertThat(Scale.QUICK.measures(Contender.POLDER)).isTrue();
        assertThat(Scale.QUICK.measures(Contender.STEADY_POLDER)).isTrue();
        assertThat(Scale.QUICK.measures(Contender.malloc(Kind.IDEAL, MallocLibrary.MIMALLOC)))
                .isTrue();
        assertThat(Scale.QUICK.measures(asked)).isTrue();
        assertThat(Scale.QUICK.measures(listed)).isFalse();
        assertThat(Scale.FULL.measures(listed)).isTrue();
    }
}
