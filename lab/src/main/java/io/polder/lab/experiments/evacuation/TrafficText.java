package io.polder.lab.experiments.evacuation;

import static io.polder.lab.report.Format.fixed;
import static io.polder.lab.report.Format.longest;
import static io.polder.lab.report.Format.micros;
import static io.polder.lab.report.Format.thousands;

import io.polder.heap.EvacuationFailurePolicy;
import io.polder.lab.experiments.evacuation.ExhaustionJvm.Way;
import io.polder.lab.harness.Findings;
import io.polder.lab.harness.Quartiles;
import io.polder.lab.report.Format;
import io.polder.tools.terminal.Columns;

import org.HdrHistogram.Histogram;

import java.util.ArrayList;
import java.util.List;

/** What the experiment prints of heaps that are used while they are compacted. */
final class TrafficText {
    private TrafficText() {}

    static String of(Results results) {
        return throughput(results) + "\n" + latencies(results);
    }

    private static String throughput(Results results) {
        return new Columns<GateKind>()
                        .words("gates, thousand ops/s", Format::id)
                        .number(
                                "at rest",
                                gate -> thousands(median(results, gate, TrafficJvm.AT_REST)))
                        .number(
                                "compacting",
                                gate -> thousands(median(results, gate, TrafficJvm.COMPACTING)))
                        .number(
                                "ratio",
                                gate -> fixed(2, compactingOverIdle(results, gate).median()))
                        .number(
                                "quartiles",
                                gate -> Format.spread(compactingOverIdle(results, gate), 2))
                        .number(
                                "copying",
                                gate ->
                                        Format.percent(
                                                median(results, gate, TrafficJvm.COMPACTION_SHARE)))
                        .number(
                                "MiB/s",
                                gate ->
                                        Format.mebibytes(
                                                median(results, gate, TrafficJvm.EVACUATED)))
                        .number(
                                "critical",
                                gate -> thousands(median(results, gate, TrafficJvm.CRITICAL)))
                        .table(List.of(GateKind.values()))
                + """
                80 % reads, 10 % updates, 10 % replacements; a thread for each processor. Copying: \
                of a processor.
                Critical: the highest rate at which 99 % of operations end within a millisecond.
                """;
    }

    /** Throughput while the heap is compacted over throughput at rest. */
    static Quartiles compactingOverIdle(Results results, GateKind gate) {
        return results.traffic(gate).ratio(TrafficJvm.COMPACTING, TrafficJvm.AT_REST);
    }

    private static double median(Results results, GateKind gate, String name) {
        return results.traffic(gate).median(name);
    }

    /** Operations at a rate. */
    private record Operations(String title, double perSecond, Histogram nanos) {
        static Operations of(String title, Findings found, String name) {
            return new Operations(title, found.median(TrafficJvm.RATE), found.latencies(name));
        }
    }

    private static String latencies(Results results) {
        List<Operations> rows = new ArrayList<>();
        for (GateKind gate : GateKind.values()) {
            Findings found = results.traffic(gate);
            rows.add(Operations.of(Format.id(gate), found, TrafficJvm.LATENCIES));
            rows.add(Operations.of("  control", found, TrafficJvm.CONTROL));
        }
        return new Columns<Operations>()
                        .words("gates, us", Operations::title)
                        .number("rate/1000", row -> thousands(row.perSecond))
                        .number("operations", row -> Long.toString(row.nanos.getTotalCount()))
                        .number("p50", row -> micros(row.nanos, 50))
                        .number("p99", row -> micros(row.nanos, 99))
                        .number("p99.9", row -> micros(row.nanos, 99.9))
                        .number("worst", row -> longest(row.nanos))
                        .table(rows)
                + """
                From when an operation was to arrive; they come in bundles, 4000 a second. \
                Control: plain copies.
                """;
    }

    /** One way in which memory was used up, under one policy. */
    private record Exhaustion(EvacuationFailurePolicy policy, Way way, Findings found) {
        String sum(String name) {
            return fixed(0, found.sum(way.sample(name)));
        }

        double longestWait() {
            return found.max(way.sample(ExhaustionJvm.LONGEST_WAIT));
        }
    }

    /** Cycles without memory. */
    static String ofExhaustion(Results results) {
        List<Exhaustion> rows = new ArrayList<>();
        StringBuilder times = new StringBuilder("Time of a compaction:");
        for (EvacuationFailurePolicy policy : EvacuationFailurePolicy.values()) {
            Findings found = results.exhaustion(policy);
            for (Way way : Way.values()) {
                rows.add(new Exhaustion(policy, way, found));
            }
            double mean = found.latencies(ExhaustionJvm.COMPACTIONS).getMean();
            times.append(Format.text(" %s %.0f us", Format.id(policy), mean / 1e3));
        }
        return new Columns<Exhaustion>()
                        .words("out of memory", row -> Format.id(row.policy))
                        .words("", row -> row.way.id())
                        .number("cycles", row -> row.sum(ExhaustionJvm.EXHAUSTED))
                        .number("of all", row -> row.sum(ExhaustionJvm.CYCLES))
                        .number("refused", row -> row.sum(ExhaustionJvm.REFUSED))
                        .number("helped", row -> row.sum(ExhaustionJvm.HELPED))
                        .number("pinned", row -> row.sum(ExhaustionJvm.PINNED))
                        .number("full", row -> row.sum(ExhaustionJvm.FULL))
                        .number("lost", row -> row.sum(ExhaustionJvm.LOST))
                        .number("waits", row -> row.sum(ExhaustionJvm.WAITS))
                        .number("wait us", row -> micros(row.longestWait()))
                        .table(rows)
                + """
                Failing: every second attempt to make room for a copy; tight: a limit. Full: \
                allocations refused.
                Waits: of updates for copies of other threads.
                Wait: of a use of an object for its copy, the longest.
                """
                + times
                + ".\n";
    }
}
