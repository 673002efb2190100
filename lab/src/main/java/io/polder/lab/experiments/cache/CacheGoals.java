package io.polder.lab.experiments.cache;

import io.polder.lab.report.Format;
import io.polder.lab.report.Goal;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What Polder's cache is to reach, and whether it did. */
final class CacheGoals {
    private static final double RSS_OVER_LIVE = 1.20;
    private static final double RSS_OVER_LIVE_TINY = 1.35;
    private static final double RSS_OVER_LIVE_DELETED = 1.5;
    private static final double LEFT_BYTES = 8 << 20;
    private static final double BYTES_PER_ENTRY = 40;
    private static final double GAP_PERCENT = 1;
    private static final double P999_MICROS = 50;
    private static final double CONTROL_P999_MICROS = 25;
    private static final double P999 = 99.9;

    /** How many times as fast. */
    private static final Map<Contender, Double> SPEED =
            Map.of(Contender.OHC, 2.0, Contender.EHCACHE, 3.0, Contender.INFINISPAN, 3.0);

    private CacheGoals() {}

    /** All of them. */
    static List<Goal> list(Results results) {
        List<Goal> goals = new ArrayList<>();
        for (Phase phase : Phase.WITH_ENTRIES) {
            goals.add(
                    Goal.atMost(
                            "RSS / live, " + phase.id(),
                            most(phase),
                            results.rssOverLive(Contender.POLDER, phase),
                            Format::times2));
        }
        goals.add(
                Goal.atMost(
                        "RSS above base, all removed",
                        LEFT_BYTES,
                        results.rss(Contender.POLDER, Phase.DELETED),
                        bytes -> Format.mebibytes(1, bytes) + " MiB"));
        goals.add(
                Goal.atMost(
                        "bytes of an entry beyond key and value",
                        BYTES_PER_ENTRY,
                        results.bytesPerEntry(Contender.POLDER),
                        bytes -> Format.fixed(1, bytes)));
        for (Contender other : results.timed()) {
            Double times = SPEED.get(other);
            if (times != null) {
                goals.add(
                        Goal.atLeast(
                                "gets a second, of " + other.id(),
                                times,
                                results.gets(Contender.POLDER).median()
                                        / results.gets(other).median(),
                                Format::times));
                goals.add(
                        Goal.atLeast(
                                "puts a second, of " + other.id(),
                                times,
                                results.puts(Contender.POLDER).median()
                                        / results.puts(other).median(),
                                Format::times));
            }
        }
        goals.add(latency(results));
        for (String trace : HitRatioJvm.traces()) {
            goals.add(
                    Goal.atMost(
                            "hits that Caffeine has more, " + trace,
                            GAP_PERCENT,
                            results.gapPercent(trace),
                            percent -> Format.fixed(2, percent) + " %"));
        }
        return goals;
    }

    private static double most(Phase phase) {
        return switch (phase) {
            case MIXED -> RSS_OVER_LIVE_TINY;
            case DELETED95 -> RSS_OVER_LIVE_DELETED;
            default -> RSS_OVER_LIVE;
        };
    }

    /** A machine that pauses for longer itself is told by the words: there the goal is not one. */
    private static Goal latency(Results results) {
        int entries = results.scale().traffic().most();
        double control = results.controlMicros(Contender.POLDER, entries, Mix.READS, P999);
        String what =
                control < CONTROL_P999_MICROS
                        ? "p99.9 of a get"
                        : Format.text("p99.9 of a get (of the control %.0f us)", control);
        return Goal.atMost(
                what,
                P999_MICROS,
                results.getMicros(Contender.POLDER, entries, Mix.READS, P999),
                micros -> Format.fixed(1, micros) + " us");
    }
}
