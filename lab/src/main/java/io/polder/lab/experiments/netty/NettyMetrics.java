package io.polder.lab.experiments.netty;

import io.polder.lab.harness.Findings;
import io.polder.lab.harness.Quartiles;
import io.polder.lab.report.Metric;
import io.polder.lab.report.Metric.Better;

import java.util.ArrayList;
import java.util.List;

/**
 * The metrics of the netty experiment. Above 1 each is better for Polder.
 *
 * <pre>{@code
 * netty.<pattern>.t<threads>.time_ratio.<contender>    theirs / Polder's
 * netty.server.requests_ratio.<contender>              Polder's / theirs: more requests are better
 * netty.server.p99_ratio.<contender>                   theirs / Polder's
 * netty.server.peak_rss_ratio.<contender>              theirs / Polder's, growth over the base
 * netty.server.idle_rss_ratio.<contender>              theirs / Polder's, growth over the base
 * }</pre>
 */
final class NettyMetrics {
    static final String REQUESTS = "netty.server.requests_ratio.";
    static final String P99 = "netty.server.p99_ratio.";
    static final String PEAK = "netty.server.peak_rss_ratio.";
    static final String IDLE = "netty.server.idle_rss_ratio.";

    private NettyMetrics() {}

    /** Names, in the order of {@link #of}. */
    static List<String> names() {
        List<String> names = new ArrayList<>();
        for (BufferPattern pattern : BufferPattern.values()) {
            for (int threads : Scale.Buffers.THREADS) {
                for (Contender other : Contender.OTHERS) {
                    names.add(time(pattern, threads, other));
                }
            }
        }
        for (String metric : List.of(REQUESTS, P99, PEAK, IDLE)) {
            for (Contender other : Contender.OTHERS_OF_SERVERS) {
                names.add(metric + other.id());
            }
        }
        return names;
    }

    /** All of what was found. */
    static List<Metric> of(Findings found) {
        List<Metric> metrics = new ArrayList<>();
        for (BufferPattern pattern : BufferPattern.values()) {
            for (int threads : Scale.Buffers.THREADS) {
                for (Contender other : Contender.OTHERS) {
                    metrics.add(
                            metric(
                                    time(pattern, threads, other),
                                    timeRatio(found, pattern, threads, other)));
                }
            }
        }
        String ours = Contender.POLDER.id();
        for (Contender other : Contender.OTHERS_OF_SERVERS) {
            String name = REQUESTS + other.id();
            metrics.add(
                    metric(
                            name,
                            found.ratio(
                                    ours + ServerJvm.REQUESTS, other.id() + ServerJvm.REQUESTS)));
        }
        theirsOverOurs(metrics, found, P99, ServerJvm.P99);
        theirsOverOurs(metrics, found, PEAK, ServerJvm.PEAK);
        theirsOverOurs(metrics, found, IDLE, ServerJvm.IDLE);
        return metrics;
    }

    static String time(BufferPattern pattern, int threads, Contender other) {
        return pattern.metric(threads) + ".time_ratio." + other.id();
    }

    static Quartiles timeRatio(
            Findings found, BufferPattern pattern, int threads, Contender other) {
        return found.ratio(pattern.nanos(other, threads), pattern.nanos(Contender.POLDER, threads));
    }

    private static void theirsOverOurs(
            List<Metric> metrics, Findings found, String prefix, String figure) {
        for (Contender other : Contender.OTHERS_OF_SERVERS) {
            metrics.add(
                    metric(
                            prefix + other.id(),
                            found.ratio(other.id() + figure, Contender.POLDER.id() + figure)));
        }
    }

    private static Metric metric(String name, Quartiles ratio) {
        return new Metric(name, ratio, Metric.TIMES, Better.HIGHER);
    }
}
