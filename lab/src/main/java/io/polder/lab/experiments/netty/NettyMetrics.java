package io.polder.lab.experiments.netty;

import io.polder.lab.harness.Findings;
import io.polder.lab.harness.Quartiles;
import io.polder.lab.report.Metric;
import io.polder.lab.report.Metrics;

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

    private static final Metrics<Findings> ALL = all();

    private NettyMetrics() {}

    /** Names, in the order of {@link #of}. */
    static List<String> names() {
        return ALL.names();
    }

    /** All of what was found. */
    static List<Metric> of(Findings found) {
        return ALL.of(found);
    }

    private static Metrics<Findings> all() {
        Metrics<Findings> all = new Metrics<>();
        for (BufferPattern pattern : BufferPattern.values()) {
            for (int threads : Scale.Buffers.THREADS) {
                for (Contender other : Contender.OTHERS) {
                    all.ratio(
                            time(pattern, threads, other),
                            found -> timeRatio(found, pattern, threads, other));
                }
            }
        }
        String ours = Contender.POLDER.id();
        for (Contender other : Contender.OTHERS_OF_SERVERS) {
            all.ratio(
                    REQUESTS + other.id(),
                    found ->
                            found.ratio(
                                    ours + ServerJvm.REQUESTS, other.id() + ServerJvm.REQUESTS));
        }
        theirsOverOurs(all, P99, ServerJvm.P99);
        theirsOverOurs(all, PEAK, ServerJvm.PEAK);
        theirsOverOurs(all, IDLE, ServerJvm.IDLE);
        return all;
    }

    private static void theirsOverOurs(Metrics<Findings> all, String prefix, String figure) {
        for (Contender other : Contender.OTHERS_OF_SERVERS) {
            all.ratio(
                    prefix + other.id(),
                    found -> found.ratio(other.id() + figure, Contender.POLDER.id() + figure));
        }
    }

    static String time(BufferPattern pattern, int threads, Contender other) {
        return pattern.metric(threads) + ".time_ratio." + other.id();
    }

    static Quartiles timeRatio(
            Findings found, BufferPattern pattern, int threads, Contender other) {
        return found.ratio(pattern.nanos(other, threads), pattern.nanos(Contender.POLDER, threads));
    }
}
