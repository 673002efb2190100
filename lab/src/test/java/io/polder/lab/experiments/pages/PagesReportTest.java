package io.polder.lab.experiments.pages;

import static io.polder.lab.report.Metric.value;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.lab.harness.Findings;
import io.polder.lab.report.Explained;
import io.polder.lab.report.Goal;
import io.polder.lab.report.Metric;
import io.polder.lab.report.Metric.Better;
import io.polder.lab.report.Report;
import io.polder.lab.report.ReportSection;
import io.polder.tools.html.Bars;
import io.polder.tools.html.Latency;
import io.polder.tools.html.TimeLine;

import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

import java.util.List;

/** Names, values and layout, from recordings that were made up. */
class PagesReportTest {
    @Test
    void names_ofPolder_areThoseAgreed() {
        assertThat(PagesMetrics.names(List.of(Contender.POLDER)))
                .containsExactly(
                        "pages.assembled_on_allocation",
                        "pages.alloc_mean_ns",
                        "pages.alloc_p99_ns",
                        "pages.alloc_max_us",
                        "pages.refused",
                        "pages.maps_max",
                        "pages.alloc_mean_over_control",
                        "pages.alloc_p99_over_control",
                        "pages.assemble32m_us",
                        "pages.remap_vs_unmap_map");
        assertThat(PagesMetrics.names(List.of(Contender.TYPED, Contender.UNMAP_MAP)))
                .hasSize(12)
                .contains("pages.typed.alloc_max_us", "pages.unmap-map.assembled_on_allocation");
    }

    @Test
    void metrics_areOfAllRoundsOrTheWorst() {
        List<Metric> metrics = PagesMetrics.of(measurements(1), assemblies());

        assertThat(metrics)
                .extracting(Metric::name)
                .isEqualTo(PagesMetrics.names(List.of(Contender.values())));
        assertThat(value(metrics, "pages.assembled_on_allocation")).isEqualTo(4);
        // Takes of 1, 2, 3 us and 2, 4, 6 us.
        assertThat(value(metrics, "pages.alloc_mean_ns")).isCloseTo(3000, Offset.offset(10.0));
        assertThat(value(metrics, "pages.alloc_p99_ns")).isCloseTo(6000, Offset.offset(10.0));
        assertThat(value(metrics, "pages.alloc_max_us")).isCloseTo(6, Offset.offset(0.01));
        // Where a control took 2 and 4 us.
        assertThat(value(metrics, "pages.alloc_mean_over_control"))
                .isCloseTo(1, Offset.offset(0.01));
        assertThat(value(metrics, "pages.alloc_p99_over_control"))
                .isCloseTo(1.5, Offset.offset(0.01));
        assertThat(value(metrics, "pages.refused")).isEqualTo(3);
        assertThat(value(metrics, "pages.maps_max")).isEqualTo(20);
        assertThat(value(metrics, "pages.assemble32m_us")).isEqualTo(0.1);
        assertThat(value(metrics, "pages.remap_vs_unmap_map")).isEqualTo(50);
        assertThat(metrics)
                .filteredOn(metric -> metric.better() == Better.HIGHER)
                .extracting(Metric::name)
                .containsExactly("pages.remap_vs_unmap_map");
    }

    @Test
    void text_fitsATerminal() {
        for (long factor : new long[] {1, 5_000}) {
            String text = PagesText.of(measurements(factor), assemblies(), Scale.FULL);

            assertThat(text.lines())
                    .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(Report.WIDTH));
            for (Contender contender : Contender.values()) {
                assertThat(text).contains(contender.id());
            }
            assertThat(text).contains("polder, filled").doesNotContain("missed", "goal");
            Explained.checkText(
                    PagesSection.of(measurements(factor), assemblies()),
                    text,
                    "no-balancer-32m   Asked for 32 MiB and nothing less",
                    "typed             A model of ZGC's cache");
        }
    }

    @Test
    void section_hasAChartOfEachKind() {
        ReportSection section = PagesSection.of(measurements(1), assemblies());
        Explained.check(section);

        assertThat(section.headline())
                .isEqualTo(
                        "Taking a page takes 3.00 µs on average and 6.00 µs at worst; 4 had to be"
                                + " assembled by a taking thread.");
        assertThat(section.goals()).hasSize(9);
        assertThat(section.goals())
                .filteredOn(goal -> !goal.reached())
                .extracting(Goal::what)
                .contains("assembled by the taking thread", "mean take");
        assertThat(section.charts()).hasAtLeastOneElementOfType(Latency.class);
        assertThat(section.charts()).hasAtLeastOneElementOfType(Bars.class);
        assertThat(section.charts())
                .filteredOn(TimeLine.class::isInstance)
                .map(TimeLine.class::cast)
                .extracting(chart -> chart.lines().size())
                .containsExactly(3, Contender.values().length, Contender.values().length);
    }

    private static Findings assemblies() {
        Findings assemblies = new Findings();
        assemblies.sample(AssemblyJvm.REMAP, 100);
        assemblies.sample(AssemblyJvm.REMAP_TOUCH, 50);
        assemblies.sample(AssemblyJvm.MAP, 1000);
        assemblies.sample(AssemblyJvm.MAP_TOUCH, 4000);
        assemblies.sample(AssemblyJvm.MAP_AND_TOUCH, 5000);
        return assemblies;
    }

    private static List<Measurement> measurements(long factor) {
        List<Recording> recordings =
                List.of(Recordings.recording(factor), Recordings.recording(2 * factor));
        return List.of(Contender.values()).stream()
                .map(contender -> new Measurement(contender, recordings))
                .toList();
    }
}
