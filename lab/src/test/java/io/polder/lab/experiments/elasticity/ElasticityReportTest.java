package io.polder.lab.experiments.elasticity;

import static io.polder.lab.report.Metric.value;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.PoolMap;
import io.polder.lab.harness.Findings;
import io.polder.lab.harness.MallocLibrary;
import io.polder.lab.harness.Wire;
import io.polder.lab.report.Explained;
import io.polder.lab.report.Goal;
import io.polder.lab.report.Metric;
import io.polder.lab.report.Metric.Better;
import io.polder.lab.report.Report;
import io.polder.lab.report.ReportSection;
import io.polder.tools.html.Bars;
import io.polder.tools.html.Chart;
import io.polder.tools.html.MemoryMap;
import io.polder.tools.html.TimeLine;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Names, values and layout, from samples that were made up. */
class ElasticityReportTest {
    private static final Set<MallocLibrary> GLIBC = EnumSet.of(MallocLibrary.GLIBC);
    private static final Set<MallocLibrary> ALL = EnumSet.copyOf(Contender.LIBRARIES);
    private static final ClassCatalogue CATALOGUE = new ClassCatalogue(new int[][] {{8, 16}}, 1);

    @Test
    void names_followWorkloadsAndLibraries() {
        List<Workload> one = List.of(Workload.withId("5x80x100"));

        assertThat(ElasticityMetrics.names(one, ALL))
                .containsExactly(
                        "elasticity.5x80x100.peak_committed_over_used",
                        "elasticity.5x80x100.valley_committed_over_used",
                        "elasticity.5x80x100.valley_rss_ratio.glibc",
                        "elasticity.5x80x100.valley_rss_ratio.jemalloc",
                        "elasticity.5x80x100.valley_rss_ratio.mimalloc",
                        "elasticity.5x80x100.peak_rss_ratio.glibc",
                        "elasticity.5x80x100.peak_rss_ratio.jemalloc",
                        "elasticity.5x80x100.peak_rss_ratio.mimalloc",
                        "elasticity.5x80x100.time_ratio.glibc",
                        "elasticity.5x80x100.time_ratio.jemalloc",
                        "elasticity.5x80x100.time_ratio.mimalloc",
                        "elasticity.5x80x100.steady_time_ratio.glibc",
                        "elasticity.5x80x100.steady_time_ratio.jemalloc",
                        "elasticity.5x80x100.steady_time_ratio.mimalloc",
                        "elasticity.5x80x100.given_back_time_ratio.glibc",
                        "elasticity.5x80x100.given_back_time_ratio.jemalloc",
                        "elasticity.5x80x100.given_back_time_ratio.mimalloc",
                        "elasticity.5x80x100.final_committed_bytes",
                        "elasticity.5x80x100.maps_max");
        assertThat(ElasticityMetrics.names(one, GLIBC))
                .hasSize(9)
                .noneMatch(name -> name.contains("malloc"));
        assertThat(ElasticityMetrics.names(Workload.ALL, ALL)).hasSize(7 * 19);
    }

    @Test
    void metrics_areMediansOfPairedRatios() {
        List<Metric> metrics = ElasticityMetrics.of(measurements(GLIBC, 1), GLIBC);

        assertThat(metrics)
                .extracting(Metric::name)
                .isEqualTo(ElasticityMetrics.names(Workload.ALL, GLIBC));
        assertThat(value(metrics, "elasticity.threads5.peak_committed_over_used")).isEqualTo(1.1);
        assertThat(value(metrics, "elasticity.threads5.valley_committed_over_used"))
                .isEqualTo(1.04);
        // Malloc keeps 600 of 1000 pages in the valley, Polder 200.
        assertThat(value(metrics, "elasticity.threads5.valley_rss_ratio.glibc")).isEqualTo(3);
        assertThat(value(metrics, "elasticity.threads5.peak_rss_ratio.glibc")).isEqualTo(1.2);
        // Polder 1, 2, 4 s; malloc 2 s in every round.
        assertThat(value(metrics, "elasticity.threads5.time_ratio.glibc")).isEqualTo(1);
        // Asked to give back, malloc takes 3 s.
        assertThat(value(metrics, "elasticity.threads5.given_back_time_ratio.glibc"))
                .isEqualTo(1.5);
        // A cycle of malloc 0.5 s; of Polder 0.125, 0.25, 0.5 s.
        assertThat(value(metrics, "elasticity.threads5.steady_time_ratio.glibc")).isEqualTo(2);
        // The worst round.
        assertThat(value(metrics, "elasticity.threads5.final_committed_bytes")).isEqualTo(2);
        assertThat(value(metrics, "elasticity.threads5.maps_max")).isEqualTo(5);
        assertThat(metrics)
                .allSatisfy(
                        metric ->
                                assertThat(metric.better())
                                        .isEqualTo(
                                                metric.name().contains("_ratio.")
                                                        ? Better.HIGHER
                                                        : Better.LOWER));
    }

    @Test
    void text_fitsATerminal() {
        for (double scale : new double[] {1, 20}) {
            String text = ElasticityText.of(measurements(ALL, scale), ALL, Scale.FULL, CATALOGUE);

            assertThat(text.lines())
                    .allSatisfy(
                            line -> assertThat(line.length()).isLessThanOrEqualTo(Report.WIDTH));
            Explained.checkText(
                    ElasticitySection.of(measurements(ALL, scale), ALL),
                    text,
                    "threads5   5 generations of ",
                    "glibc      Malloc of the C library");
        }
    }

    @Test
    void text_showsTimesAndRatiosAndDoesNotJudge() {
        String text = ElasticityText.of(measurements(ALL, 1), ALL, Scale.QUICK, CATALOGUE);

        assertThat(row(text, "threads5 3")).isEqualTo("threads5 3.9 1.100 0.8 1.040 2 5");
        assertThat(row(text, "threads5 mimalloc 3"))
                .isEqualTo("threads5 mimalloc 3.00x 1.20x 2.00x 1.50-3.00 1.50x 1.13-2.25 1.00x");
        assertThat(row(text, "threads5 glibc-listed 3"))
                .isEqualTo("threads5 glibc-listed 3.00x 1.20x 1.00x");
        // Both waves of 400 loaders with 100 classes of two blocks.
        assertThat(row(text, "threads5 kept"))
                .isEqualTo("threads5 kept 1562.5 3125.0 3125.0 3125.0");
        assertThat(row(text, "threads5 given back"))
                .isEqualTo("threads5 given back 12500.0 18750.0 18750.0 18750.0");
        assertThat(text).doesNotContain("goal", "missed", "reached");
        assertThat(row(text, "threads5 polder"))
                .isEqualTo("threads5 polder 1.000 1.000 2.000 39.1 43.0 41.0 39.8 39.1 - 5");
        assertThat(text).contains("Loaders: one of 8.", "1 class files", "in 2 blocks");
        assertThat(text).doesNotContain("Not installed");
    }

    @Test
    void text_missingLibraries_saysHowToInstallThem() {
        String text = ElasticityText.of(measurements(GLIBC, 1), GLIBC, Scale.FULL, CATALOGUE);

        assertThat(text)
                .contains("Not installed, so not measured: jemalloc, mimalloc.")
                .contains("sudo apt install libjemalloc2")
                .contains("Loaders: all.");
    }

    @Test
    void section_hasTimeLinesRatiosAndMaps() {
        ReportSection section = ElasticitySection.of(measurements(ALL, 1), ALL);
        Explained.check(section);

        assertThat(section.headline())
                .endsWith("glibc 3.00×, jemalloc 3.00×, mimalloc 3.00× (medians of 7 workloads).");
        assertThat(section.goals()).hasSize(7 * (3 + 3 * 4));
        assertThat(section.goals())
                .filteredOn(goal -> goal.what().startsWith("threads5, ") && !goal.reached())
                .containsExactly(new Goal("threads5, committed at the end", "0 B", "2 B", false));
        assertThat(section.goals())
                .contains(
                        new Goal("threads5, steady, glibc / Polder", ">= 1.50×", "2.00×", true),
                        new Goal("threads5, steady, jemalloc / Polder", ">= 1.20×", "2.00×", true),
                        new Goal("threads5, given back, glibc / Polder", ">= 1.00×", "1.50×", true),
                        new Goal(
                                "5x80x100, committed / used in the valley",
                                "<= 1.03×",
                                "1.04×",
                                false));
        List<Chart> charts = section.charts();
        assertThat(charts).filteredOn(TimeLine.class::isInstance).hasSize(7);
        assertThat(charts).filteredOn(Bars.class::isInstance).hasSize(5);
        assertThat(charts)
                .filteredOn(MemoryMap.class::isInstance)
                .map(MemoryMap.class::cast)
                .hasSize(2)
                .allSatisfy(map -> assertThat(map.panels()).hasSize(2));
        TimeLine first = (TimeLine) charts.getFirst();
        assertThat(first.lines())
                .extracting(TimeLine.Line::name)
                .containsExactly(
                        "asked for",
                        "glibc",
                        "jemalloc",
                        "mimalloc",
                        "Polder, committed",
                        "Polder, resident");
        assertThat(first.lines().getLast().points())
                .extracting(TimeLine.Point::y)
                .containsExactly(0.0, 4096.0 * 1000, 4096.0 * 500, 4096.0 * 200, 0.0);
        assertThat(first.marks())
                .extracting(TimeLine.Mark::label)
                .containsExactly("peak", "valley", "end");
    }

    private static String row(String text, String beginning) {
        return text.lines()
                .map(line -> line.replaceAll(" +", " "))
                .filter(line -> line.startsWith(beginning))
                .findFirst()
                .orElseThrow();
    }

    private static List<Measurement> measurements(Set<MallocLibrary> libraries, double scale) {
        List<Measurement> measurements = new ArrayList<>();
        for (Workload workload : Workload.ALL) {
            Map<Contender, List<Recording>> recordings = new HashMap<>();
            for (Contender contender : Contender.all(libraries)) {
                List<Recording> rounds = new ArrayList<>();
                for (int round = 0; round < 3; round++) {
                    rounds.add(recording(contender, scale, round));
                }
                recordings.put(contender, rounds);
            }
            measurements.add(new Measurement(workload, recordings));
        }
        return measurements;
    }

    private static Recording recording(Contender contender, double scale, int round) {
        return switch (contender.kind()) {
            case POLDER -> recording(scale, 1 << round, 1000, 200, 3 + round, round);
            case IDEAL, LISTED -> recording(scale, 2, 1200, 600, 40, 0);
            case ASKED -> recording(scale, 3, 1200, 600, 40, 0);
            case STEADY -> steady(contender.library() == null ? scale / (8 >> round) : scale / 2);
        };
    }

    private static Recording steady(double seconds) {
        Findings findings = new Findings();
        for (double factor : new double[] {1, 3, 0.5}) {
            long nanos = (long) (seconds * factor * 1e9);
            findings.point(new Sample(Stage.STEADY, nanos, 0, nanos, 0, -1, 4096, -1, 100));
        }
        return new Recording(findings);
    }

    private static Recording recording(
            double scale, int seconds, int peakPages, int valleyPages, int maps, int left) {
        long base = 10_000;
        Findings findings = new Findings();
        findings.point(sample(Stage.BASE, 0, 0, -1, scale, base, 100));
        findings.point(sample(Stage.PEAK, 0, 1000, 1100, scale, base + peakPages, 100 + maps));
        findings.text(Recording.map(Stage.PEAK), map("USED"));
        findings.point(sample(Stage.VALLEY, 0, 200, 700, scale, base + 500, 100));
        findings.point(sample(Stage.TRIMMED, 0, 200, 208, scale, base + valleyPages, 100));
        findings.text(Recording.map(Stage.TRIMMED), map("COLD"));
        Sample end = sample(Stage.END, seconds, 0, 0, scale, base, 100);
        findings.point(
                new Sample(
                        Stage.END,
                        end.loadNanos() / 2,
                        end.loadNanos() / 2,
                        end.loadNanos(),
                        0,
                        left,
                        end.rssBytes(),
                        end.cgroupBytes(),
                        end.maps()));
        return new Recording(findings);
    }

    private static String map(String second) {
        return Wire.line(
                new PoolMap(
                        List.of(
                                new PoolMap.Piece("USED", 2 << 20, 2 << 20),
                                new PoolMap.Piece(second, 2 << 20, 0)),
                        List.of(new PoolMap.Area("chunks", 0x7f0000000000L, 0, List.of(0, 1)))));
    }

    private static Sample sample(
            Stage stage,
            int seconds,
            long usedPages,
            long committedPages,
            double scale,
            long rssPages,
            long maps) {
        long page = (long) (4096 * scale);
        long nanos = (long) (seconds * 1_000_000_000L * scale);
        return new Sample(
                stage,
                nanos,
                0,
                nanos,
                usedPages * page,
                Math.max(-1, committedPages * page),
                rssPages * page,
                Sample.UNKNOWN,
                maps);
    }
}
