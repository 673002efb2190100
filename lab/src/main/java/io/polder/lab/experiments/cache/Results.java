package io.polder.lab.experiments.cache;

import io.polder.lab.harness.Findings;
import io.polder.lab.harness.Quartiles;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What was found of each contender.
 *
 * @param found by all JVMs
 * @param measured contenders whose part on memory was measured, in order
 * @param timed contenders whose part on speed was measured, in order
 * @param failures what a contender did instead, by its name and part
 * @param scale how much was measured
 */
record Results(
        Findings found,
        List<Contender> measured,
        List<Contender> timed,
        Map<String, String> failures,
        Scale scale) {
    /** Copies the lists and the map. */
    Results {
        measured = List.copyOf(measured);
        timed = List.copyOf(timed);
        failures = new TreeMap<>(failures);
    }

    double rss(Contender contender, Phase phase) {
        return found.median(contender.id() + MemoryJvm.RSS + phase.id());
    }

    double live(Contender contender, Phase phase) {
        return found.median(contender.id() + MemoryJvm.LIVE + phase.id());
    }

    double rssOverLive(Contender contender, Phase phase) {
        return rss(contender, phase) / live(contender, phase);
    }

    /** Beyond keys and values, of an entry, where there are the most entries. */
    double bytesPerEntry(Contender contender) {
        return bytesPerEntry(contender, scale.traffic().most());
    }

    double bytesPerEntry(Contender contender, int entries) {
        return found.median(contender.id() + TrafficJvm.BYTES_PER_ENTRY + entries);
    }

    /** Operations of both threads in a second. */
    Quartiles perSecond(Contender contender, int entries, Mix mix) {
        return found.quartiles(contender.id() + TrafficJvm.PER_SECOND + where(entries, mix));
    }

    /** Reads in a second, while one operation in twenty is a write. */
    Quartiles gets(Contender contender) {
        return part(perSecond(contender, scale.traffic().most(), Mix.READS), Mix.READS.getShare());
    }

    /** Writes in a second, while each other operation is a read. */
    Quartiles puts(Contender contender) {
        return part(
                perSecond(contender, scale.traffic().most(), Mix.HALVES),
                1 - Mix.HALVES.getShare());
    }

    double getMicros(Contender contender, int entries, Mix mix, double percentile) {
        return micros(contender, TrafficJvm.GETS, entries, mix, percentile);
    }

    double putMicros(Contender contender, int entries, Mix mix, double percentile) {
        return micros(contender, TrafficJvm.PUTS, entries, mix, percentile);
    }

    double controlMicros(Contender contender, int entries, Mix mix, double percentile) {
        return micros(contender, TrafficJvm.CONTROL, entries, mix, percentile);
    }

    double hitShare(Contender contender, int entries) {
        return found.median(contender.id() + TrafficJvm.HIT_SHARE + entries);
    }

    /** How many percent more of the keys Caffeine has; of all sizes the most. */
    double gapPercent(String trace) {
        return 100 * found.max(HitRatioJvm.GAP + trace);
    }

    /** What is to be known before a figure is read. */
    List<String> warnings() {
        List<String> all = new ArrayList<>();
        failures.forEach((who, why) -> all.add(who + " was not measured: " + why));
        return all;
    }

    private double micros(
            Contender contender, String what, int entries, Mix mix, double percentile) {
        return found.latencies(contender.id() + what + where(entries, mix))
                        .getValueAtPercentile(percentile)
                / 1e3;
    }

    private static String where(int entries, Mix mix) {
        return entries + "." + mix.id();
    }

    private static Quartiles part(Quartiles whole, double share) {
        return new Quartiles(whole.lower() * share, whole.median() * share, whole.upper() * share);
    }
}
