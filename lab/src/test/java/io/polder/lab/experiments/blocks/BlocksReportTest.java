package io.polder.lab.experiments.blocks;

import static io.polder.lab.report.Metric.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polder.lab.experiments.blocks.MemoryJvm.Memory;
import io.polder.lab.harness.Findings;
import io.polder.lab.harness.MallocLibrary;
import io.polder.lab.report.Explained;
import io.polder.lab.report.Goal;
import io.polder.lab.report.Metric;
import io.polder.lab.report.Report;
import io.polder.lab.report.ReportSection;
import io.polder.tools.html.Bars;
import io.polder.tools.html.TimeLine;

import org.junit.jupiter.api.Test;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Names, values and layout, from samples that were made up. */
class BlocksReportTest {
    private static final List<MallocLibrary> GLIBC = List.of(MallocLibrary.GLIBC);
    private static final List<MallocLibrary> ALL = List.of(MallocLibrary.values());
    private static final long MIB = 1 << 20;

    @Test
    void names_areThoseAgreed() {
        assertThat(BlocksMetrics.names(GLIBC))
                .contains(
                        "blocks.pair.t1.time_ratio.glibc",
                        "blocks.pair.t2.time_ratio.glibc",
                        "blocks.pair-kvcache.t1.time_ratio.glibc",
                        "blocks.larson.t1.time_ratio.glibc",
                        "blocks.xmalloc.t2.time_ratio.glibc",
                        "blocks.large.t1.time_ratio.glibc",
                        "blocks.growth.t1.time_ratio.glibc",
                        "blocks.pair.peak_rss_ratio.glibc",
                        "blocks.larson.peak_rss_ratio.glibc",
                        "blocks.xmalloc.peak_rss_ratio.glibc",
                        "blocks.large.peak_rss_ratio.glibc",
                        "blocks.burst.peak_rss_ratio.glibc",
                        "blocks.burst.idle_rss_ratio.glibc",
                        "blocks.final_committed_bytes")
                .doesNotHaveDuplicates();
        assertThat(BlocksMetrics.names(ALL))
                .contains("blocks.pair.t1.time_ratio.tcmalloc")
                .hasSize(4 * (BlocksMetrics.names(GLIBC).size() - 4) + 4);
    }

    @Test
    void metrics_areTheirsOverOurs_ofTheBetterCall() {
        Results results = results(ALL);
        List<Metric> metrics = BlocksMetrics.of(results);

        assertThat(metrics).extracting(Metric::name).isEqualTo(BlocksMetrics.names(ALL));
        // Polder takes 10, malloc 50 and by critical calls 40; the second round is twice as slow.
        assertThat(value(metrics, "blocks.pair.t1.time_ratio.jemalloc")).isEqualTo(4);
        assertThat(value(metrics, "blocks.pair.peak_rss_ratio.glibc")).isEqualTo(2);
        assertThat(value(metrics, "blocks.burst.idle_rss_ratio.glibc")).isEqualTo(3);
        assertThat(value(metrics, "blocks.single.ns")).isEqualTo(15);
        assertThat(value(metrics, "blocks.final_committed_bytes")).isEqualTo(8);
        assertThat(results.better(MallocLibrary.GLIBC, "pair.t1").call())
                .isEqualTo(Contender.Call.CRITICAL);
    }

    @Test
    void text_fitsATerminal() {
        for (List<MallocLibrary> libraries : List.of(GLIBC, ALL)) {
            String text = BlocksText.of(results(libraries), Scale.FULL);
            assertThat(text.lines())
                    .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(Report.WIDTH));
            assertThat(text).contains("pair.t2", "burst, MiB", "growth.t1");
            assertThat(text.contains("Not installed")).isEqualTo(libraries.equals(GLIBC));
            Explained.checkText(
                    BlocksSection.of(results(libraries)),
                    text,
                    "pair.t1  ",
                    "; one thread.",
                    "burst  ");
        }
    }

    @Test
    void section_hasGoalsAndCharts() {
        ReportSection section = BlocksSection.of(results(ALL));
        Explained.check(section);

        assertThat(section.headline()).contains("glibc 4.00×", "tcmalloc 4.00×");
        assertThat(section.charts()).hasAtLeastOneElementOfType(TimeLine.class);
        assertThat(section.charts()).hasAtLeastOneElementOfType(Bars.class);
        assertThat(section.goals())
                .filteredOn(goal -> !goal.reached())
                .extracting(Goal::what)
                .containsExactly(
                        "64 B allocated and freed in a loop",
                        "committed when all is free and trimmed");
        assertThat(section.goals())
                .extracting(Goal::what)
                .contains("pair.t1, mimalloc / Polder", "large.t1, tcmalloc / Polder")
                .doesNotContain("pair.t1, tcmalloc / Polder");
    }

    @Test
    void contenders_haveNamesOfTheirOwn_andMallocIsCalled() {
        assertThat(Contender.timed(ALL)).extracting(Contender::id).doesNotHaveDuplicates();
        assertThatThrownBy(() -> new Contender(null, Contender.Call.PLAIN))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("library=null, call=PLAIN");
    }

    private static Results results(List<MallocLibrary> libraries) {
        Map<Contender, Findings> times = new HashMap<>();
        for (Contender contender : Contender.timed(libraries)) {
            double nanos =
                    switch (contender.call()) {
                        case JAVA -> 10;
                        case PLAIN -> 50;
                        case CRITICAL -> 40;
                    };
            Findings findings = new Findings();
            for (Workload workload : Workload.ALL) {
                for (int threads : workload.threads()) {
                    for (int round = 1; round <= 2; round++) {
                        findings.sample(workload.with(threads), nanos * round);
                        findings.sample(TimeJvm.heap(workload.with(threads)), 0);
                    }
                }
            }
            findings.sample(TimeJvm.COMMITTED, 8);
            times.put(contender, findings);
        }
        Map<String, Map<Contender, List<Findings>>> memory = new HashMap<>();
        for (String workload : BlocksMetrics.watched()) {
            Map<Contender, List<Findings>> found = new HashMap<>();
            for (Contender contender : Contender.weighed(libraries)) {
                found.put(contender, List.of(memory(contender.library() == null ? 1 : 2)));
            }
            memory.put(workload, found);
        }
        return new Results(libraries, times, memory);
    }

    private static Findings memory(int factor) {
        Findings findings = new Findings();
        findings.count(MemoryJvm.BASE, 100 * MIB);
        findings.count(MemoryJvm.PEAK, (100 + 10L * factor) * MIB);
        findings.sample(MemoryJvm.METADATA, 0.005);
        findings.sample(TimeJvm.COMMITTED, 0);
        findings.point(new Memory(Burst.BEGIN, 0, 100 * MIB, -1, -1));
        findings.point(new Memory(Burst.FULL, 1, 200 * MIB, -1, -1));
        for (int second = 0; second <= 10; second++) {
            long grown = factor == 1 ? 10 : 30;
            findings.point(new Memory(Burst.idle(second), 1 + second, (100 + grown) * MIB, -1, -1));
        }
        findings.point(new Memory(Burst.END, 12, 100 * MIB, -1, -1));
        return findings;
    }
}
