package io.polder.lab.experiments.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.lab.harness.Findings;
import io.polder.lab.harness.Nanos;
import io.polder.lab.report.Explained;
import io.polder.lab.report.Goal;
import io.polder.lab.report.Metric;
import io.polder.lab.report.ReportSection;

import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** What is made of figures: which way ratios go, and which goals they reach. */
class NettyReportTest {
    /** Polder takes half the time and a fifth of the memory of the others, with twice the rate. */
    private static Findings findings() {
        Findings found = new Findings();
        for (Contender contender : Contender.values()) {
            boolean ours = contender == Contender.POLDER;
            for (BufferPattern pattern : BufferPattern.values()) {
                for (int threads : Scale.Buffers.THREADS) {
                    found.sample(pattern.nanos(contender, threads), ours ? 40 : 80);
                }
            }
        }
        for (Contender contender : Contender.OF_SERVERS) {
            boolean ours = contender == Contender.POLDER;
            found.sample(contender.id() + ServerJvm.REQUESTS, ours ? 2000 : 1000);
            found.sample(contender.id() + ServerJvm.P99, ours ? 5e6 : 1e7);
            found.sample(contender.id() + ServerJvm.PEAK, ours ? 50 << 20 : 100 << 20);
            found.sample(contender.id() + ServerJvm.IDLE, ours ? 10 << 20 : 50 << 20);
            Histogram nanos = Nanos.histogram();
            Nanos.record(nanos, ours ? 5_000_000 : 10_000_000);
            found.latencies(contender.id(), nanos);
            found.point(new ServerPoint(contender, 0, 0, -5));
            found.point(new ServerPoint(contender, 0, 50, 1 << 20));
            found.point(new ServerPoint(contender, 1, 0, 7 << 20));
        }
        return found;
    }

    @Test
    void metrics_allRatios_areAboveOneWherePolderIsBetter() {
        List<Metric> metrics = NettyMetrics.of(findings());
        Map<String, Double> values =
                metrics.stream().collect(Collectors.toMap(Metric::name, Metric::value));
        assertThat(metrics).extracting(Metric::name).isEqualTo(NettyMetrics.names());
        assertThat(values)
                .containsEntry("netty.alloc256.t1.time_ratio.adaptive", 2.0)
                .containsEntry("netty.mix.t2.time_ratio.unpooled", 2.0)
                .containsEntry("netty.server.requests_ratio.pooled", 2.0)
                .containsEntry("netty.server.p99_ratio.adaptive", 2.0)
                .containsEntry("netty.server.peak_rss_ratio.adaptive", 2.0)
                .containsEntry("netty.server.idle_rss_ratio.pooled", 5.0);
    }

    @Test
    void goals_reachedByAll_areReached() {
        List<Goal> goals = NettyGoals.list(NettyMetrics.of(findings()));
        assertThat(goals).hasSize(18).allMatch(Goal::reached);
        assertThat(goals.getLast().measured()).isEqualTo("5.00x");
    }

    @Test
    void goals_memoryLikeTheBestOfTheOthers_isMissed() {
        Findings found = findings();
        found.sample(Contender.POLDER.id() + ServerJvm.IDLE, 1 << 20);
        found.sample(Contender.ADAPTIVE.id() + ServerJvm.IDLE, 1 << 20);
        found.sample(Contender.POOLED.id() + ServerJvm.IDLE, 9 << 20);
        Goal idle = NettyGoals.list(NettyMetrics.of(found)).getLast();
        assertThat(idle.reached()).isFalse();
    }

    @Test
    void text_andPage_sayTheFigures() {
        Findings found = findings();
        assertThat(NettyText.of(found, Scale.QUICK).lines())
                .anyMatch(line -> line.matches("polder +2000 +5\\.0 .* 50\\.0 +10\\.0"))
                .anyMatch(line -> line.matches("4 KiB +2 threads +40\\.0 +80\\.0 +2\\.00x .*"))
                .allMatch(line -> line.length() <= 100);
        ReportSection section = NettySection.of(found, List.of());
        Explained.check(section);
        assertThat(section.headline())
                .startsWith("After the load a server of Netty’s holds 10.0 MiB with Polder’s")
                .contains("2000 requests a second, 1000, 1000");
        assertThat(section.charts()).hasSize(3);
    }
}
