package io.polder.lab.experiments.cache;

import static io.polder.lab.report.Metric.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polder.lab.harness.ExperimentException;
import io.polder.lab.harness.Findings;
import io.polder.lab.harness.Nanos;
import io.polder.lab.report.Explained;
import io.polder.lab.report.Goal;
import io.polder.lab.report.Metric;
import io.polder.lab.report.Report;
import io.polder.lab.report.ReportSection;
import io.polder.tools.html.Bars;
import io.polder.tools.html.TimeLine;

import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Names, values and layout, from samples that were made up. */
class CacheReportTest {
    private static final List<Contender> ALL = List.of(Contender.values());
    private static final long MIB = 1 << 20;

    @Test
    void names_areThoseAgreed() {
        assertThat(CacheMetrics.names(ALL))
                .contains(
                        "cache.polder.rss_over_live.small",
                        "cache.ohc.rss_over_live.medium",
                        "cache.ehcache.rss_over_live.large",
                        "cache.infinispan.rss_over_live.mixed",
                        "cache.chronicle.rss_over_live.deleted95",
                        "cache.mapdb.bytes_per_entry",
                        "cache.caffeine.get_per_s",
                        "cache.caffeine.put_per_s",
                        "cache.polder.get_p999_us",
                        "cache.hit_ratio_gap.zipf_0_99",
                        "cache.hit_ratio_gap.loop_of_20000",
                        "cache.hit_ratio_gap.twitter_like_drift_0_002")
                .doesNotHaveDuplicates()
                .hasSize(7 * 9 + 11);
        assertThat(CacheMetrics.names(Contender.BUILT_IN)).hasSize(2 * 9 + 11);
    }

    @Test
    void metrics_areOfTheMostEntries() {
        List<Metric> metrics = CacheMetrics.of(results(ALL));

        assertThat(metrics).extracting(Metric::name).isEqualTo(CacheMetrics.names(ALL));
        assertThat(value(metrics, "cache.polder.rss_over_live.small")).isEqualTo(1);
        assertThat(value(metrics, "cache.ohc.rss_over_live.deleted95")).isEqualTo(2);
        assertThat(value(metrics, "cache.ohc.bytes_per_entry")).isEqualTo(20);
        assertThat(value(metrics, "cache.ohc.get_per_s")).isEqualTo(0.95 * 20_000_000 / 2);
        assertThat(value(metrics, "cache.ohc.put_per_s")).isEqualTo(0.5 * 20_000_000 / 2);
        assertThat(value(metrics, "cache.hit_ratio_gap.recent_keys")).isEqualTo(2);
    }

    @Test
    void text_fitsATerminal_andNamesWhatIsMissing() {
        for (List<Contender> contenders : List.of(Contender.BUILT_IN, ALL)) {
            boolean downloaded = contenders.equals(ALL);
            Downloads downloads = new Downloads(downloaded ? List.of(Path.of("a.jar")) : List.of());
            String text = CacheText.of(results(contenders), downloads);
            assertThat(text.lines())
                    .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(Report.WIDTH));
            assertThat(text).contains("20,000,000 entries", "zipf_0_99", "--enable-native-access");
            assertThat(text.contains("were not downloaded")).isNotEqualTo(downloaded);
            assertThat(text.contains("of --add-opens")).isEqualTo(downloaded);
        }
    }

    @Test
    void section_hasGoalsAndCharts() {
        Results results = results(ALL);
        ReportSection section = CacheSection.of(results, CacheGoals.list(results));
        Explained.check(section);

        assertThat(section.headline()).contains("polder 1.00×", "ohc 2.00×");
        assertThat(section.charts()).hasAtLeastOneElementOfType(TimeLine.class);
        assertThat(section.charts()).hasAtLeastOneElementOfType(Bars.class);
        assertThat(section.goals())
                .filteredOn(goal -> !goal.reached())
                .extracting(Goal::what)
                .contains("RSS above base, all removed", "hits that Caffeine has more, zipf_0_7")
                .doesNotContain("RSS / live, small", "gets a second, of ohc");
    }

    @Test
    void failures_areSaid() {
        Results results =
                new Results(
                        results(ALL).found(),
                        Contender.BUILT_IN,
                        Contender.BUILT_IN,
                        Map.of("ohc, memory", "java.lang.IllegalAccessError: no"),
                        Scale.FULL);
        assertThat(results.warnings())
                .containsExactly("ohc, memory was not measured: java.lang.IllegalAccessError: no");
        assertThat(CacheMetrics.of(results))
                .extracting(Metric::name)
                .isEqualTo(CacheMetrics.names(Contender.BUILT_IN));
        assertThat(
                        CacheJvms.cause(
                                new ExperimentException(
                                        "It ended; its stderr:\na.B: c\n\tat d\nCaused by: e.F: g",
                                        null)))
                .isEqualTo("e.F: g");
        assertThat(CacheJvms.cause(new ExperimentException("Such:\nx.y.Error: z\n\tat d", null)))
                .isEqualTo("x.y.Error: z");
    }

    @Test
    void downloads_thatAreNotComplete_doNotCount(@TempDir Path folder) throws Exception {
        Files.createDirectory(folder.resolve("lib"));
        Files.createFile(folder.resolve("lib").resolve("a.jar"));
        assertThat(Downloads.in(folder).contenders()).isEqualTo(Contender.BUILT_IN);
        assertThatThrownBy(() -> Downloads.in(folder).classPath(Contender.OHC))
                .isInstanceOf(ExperimentException.class)
                .hasMessageContaining("ohc was not downloaded");

        Files.createFile(folder.resolve("stamp"));
        Downloads complete = Downloads.in(folder);
        assertThat(complete.contenders()).isEqualTo(ALL);
        assertThat(complete.classPath(Contender.POLDER)).isEmpty();
        assertThat(complete.classPath(Contender.OHC).getLast()).endsWith("a.jar");
    }

    private static Results results(List<Contender> contenders) {
        Findings found = new Findings();
        for (Contender contender : contenders) {
            String who = contender.id();
            long factor = contender == Contender.POLDER ? 1 : 2;
            for (Phase phase : Phase.values()) {
                found.count(who + MemoryJvm.RSS + phase.id(), factor * 100 * MIB);
                found.count(who + MemoryJvm.LIVE + phase.id(), 100 * MIB);
                found.point(new CachePoint(contender, phase.number() + 0.5, factor * 100 * MIB));
            }
            found.count(who + MemoryJvm.PUTS, 1_000_000);
            for (int entries : Scale.FULL.traffic().entries()) {
                found.count(who + TrafficJvm.BYTES_PER_ENTRY + entries, factor * 10);
                found.sample(who + TrafficJvm.HIT_SHARE + entries, 0.99);
                for (Mix mix : Mix.values()) {
                    String where = entries + "." + mix.id();
                    found.count(who + TrafficJvm.PER_SECOND + where, entries / factor);
                    for (String what :
                            List.of(TrafficJvm.GETS, TrafficJvm.PUTS, TrafficJvm.CONTROL)) {
                        Histogram nanos = Nanos.histogram();
                        Nanos.record(nanos, 1000 * factor);
                        found.latencies(who + what + where, nanos);
                    }
                }
            }
        }
        for (String trace : HitRatioJvm.traces()) {
            for (int i = 0; i < 2; i++) {
                found.sample(HitRatioJvm.GAP + trace, 0.01 * (i + 1));
                found.sample(HitRatioJvm.POLDER + trace, 0.5);
                found.sample(HitRatioJvm.CAFFEINE + trace, 0.5 + 0.01 * (i + 1));
            }
        }
        return new Results(found, contenders, contenders, Map.of(), Scale.FULL);
    }
}
