package io.polder.lab.experiments.fragmentation;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.lab.harness.SmokeRun;
import io.polder.lab.report.Explained;
import io.polder.lab.report.Metric;
import io.polder.lab.report.Metric.Better;
import io.polder.lab.report.Report;
import io.polder.lab.report.ReportSection;
import io.polder.tools.html.MemoryMap;

import org.junit.jupiter.api.Test;

import java.util.List;

/** The whole experiment; it measures room and not time, so its figures can be asserted. */
class FragmentationExperimentTest {
    /** The names that other programs rely on. */
    private static final List<String> NAMES =
            List.of(
                    "fragmentation.large.size_locked",
                    "fragmentation.large.split_merge",
                    "fragmentation.large.polder",
                    "fragmentation.utilisation.size_locked",
                    "fragmentation.utilisation.split_merge",
                    "fragmentation.utilisation.polder");

    private final SmokeRun run = new SmokeRun();

    @Test
    void metricNames_areTheAgreedOnes() {
        assertThat(new FragmentationExperiment().metricNames()).isEqualTo(NAMES);
    }

    @Test
    void run_reportsEveryMetric() throws Exception {
        Report report = run(3);

        assertThat(report.metricNames()).isEqualTo(NAMES);
        assertThat(report.metrics()).extracting(Metric::better).containsOnly(Better.HIGHER);
        assertThat(value(report, "fragmentation.large.size_locked"))
                .isLessThan(value(report, "fragmentation.large.split_merge"));
        assertThat(value(report, "fragmentation.utilisation.polder"))
                .isBetween(value(report, "fragmentation.utilisation.split_merge"), 1.0);
        assertThat(run.shown()).contains("free lists by size", "split and merge", "Polder");
    }

    @Test
    void run_otherOrderOfClosing_isNothingToTheModels() throws Exception {
        Report one = run(4);
        Report other = run(5);

        for (String model : List.of("size_locked", "split_merge")) {
            String name = "fragmentation.large." + model;
            assertThat(value(one, name)).isEqualTo(value(other, name)).isPositive();
        }
    }

    @Test
    void text_fitsATerminalAndShowsEveryMap() throws Exception {
        String text = run(1).tables();

        assertThat(text.lines())
                .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(Report.WIDTH));
        assertThat(text)
                .contains("Map of free lists by size:", "Map of split and merge:", "Map of Polder:")
                .doesNotContain("goal", "reached", "missed");
    }

    @Test
    void section_hasMapsOfAllPoliciesAtAllMoments() throws Exception {
        ReportSection section = run(1).section();
        Explained.check(section);

        assertThat(section.goals()).hasSize(1);
        assertThat(section.headline()).startsWith("After 3000 small owners have gone");
        assertThat(section.charts())
                .filteredOn(MemoryMap.class::isInstance)
                .map(MemoryMap.class::cast)
                .hasSize(3)
                .allSatisfy(
                        map ->
                                assertThat(map.panels())
                                        .extracting(MemoryMap.Panel::title)
                                        .containsExactly(
                                                "small owners live",
                                                "all of them closed",
                                                "full of large blocks"))
                .allSatisfy(
                        map ->
                                assertThat(map.panels())
                                        .allSatisfy(
                                                panel -> assertThat(panel.spans()).isNotEmpty()));
    }

    private Report run(long seed) throws Exception {
        return run.of(new FragmentationExperiment(), seed, List.of(), null);
    }

    private static double value(Report report, String name) {
        return Metric.value(report.metrics(), name);
    }
}
