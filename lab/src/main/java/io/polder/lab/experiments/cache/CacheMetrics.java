package io.polder.lab.experiments.cache;

import io.polder.lab.report.Metric;
import io.polder.lab.report.Metric.Better;
import io.polder.lab.report.Metrics;

import java.util.List;

/**
 * The metrics of the cache experiment.
 *
 * <pre>{@code
 * cache.<contender>.rss_over_live.<phase>   resident bytes / bytes of values that are there
 * cache.<contender>.bytes_per_entry         resident bytes beyond keys and values
 * cache.<contender>.get_per_s               reads of two threads, 95 of 100 operations
 * cache.<contender>.put_per_s               writes of two threads, each other operation
 * cache.<contender>.get_p999_us             of reads, 95 of 100 operations
 * cache.hit_ratio_gap.<trace>               Caffeine's hits less Polder's, in percent
 * }</pre>
 */
final class CacheMetrics {
    private static final double P999 = 99.9;

    private CacheMetrics() {}

    /** Names of those of some contenders, in the order of {@link #of}. */
    static List<String> names(List<Contender> contenders) {
        return all(contenders, contenders).names();
    }

    /** All of what was found. */
    static List<Metric> of(Results results) {
        return all(results.measured(), results.timed()).of(results);
    }

    static String name(Contender contender, String figure) {
        return "cache." + contender.id() + "." + figure;
    }

    private static Metrics<Results> all(List<Contender> measured, List<Contender> timed) {
        Metrics<Results> all = new Metrics<>();
        for (Contender contender : Contender.values()) {
            if (measured.contains(contender)) {
                for (Phase phase : Phase.WITH_ENTRIES) {
                    all.lower(
                            name(contender, "rss_over_live." + phase.id()),
                            Metric.TIMES,
                            found -> found.rssOverLive(contender, phase));
                }
            }
            if (timed.contains(contender)) {
                all.lower(
                        name(contender, "bytes_per_entry"),
                        "bytes",
                        found -> found.bytesPerEntry(contender));
                all.median(
                        name(contender, "get_per_s"),
                        "1/s",
                        Better.HIGHER,
                        found -> found.gets(contender));
                all.median(
                        name(contender, "put_per_s"),
                        "1/s",
                        Better.HIGHER,
                        found -> found.puts(contender));
                all.lower(
                        name(contender, "get_p999_us"),
                        "us",
                        found ->
                                found.getMicros(
                                        contender,
                                        found.scale().traffic().most(),
                                        Mix.READS,
                                        P999));
            }
        }
        for (String trace : HitRatioJvm.traces()) {
            all.lower("cache.hit_ratio_gap." + trace, "%", found -> found.gapPercent(trace));
        }
        return all;
    }
}
