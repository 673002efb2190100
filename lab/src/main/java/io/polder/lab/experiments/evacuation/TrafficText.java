package io.polder.lab.experiments.evacuation;

import io.polder.heap.OutOfMemoryPolicy;
import io.polder.lab.experiments.evacuation.ExhaustionJvm.Way;
import io.polder.lab.harness.Findings;
import io.polder.lab.harness.Quartiles;
import io.polder.tools.terminal.Table;
import io.polder.tools.terminal.Table.Align;

import org.HdrHistogram.Histogram;

import java.util.Locale;

/** What the experiment prints of heaps that are used while they are compacted. */
final class TrafficText {
    private TrafficText() {}

    static String of(Results results) {
        return throughput(results) + "\n" + latencies(results);
    }

    private static String throughput(Results results) {
        Table table =
                new Table()
                        .column("gates, thousand ops/s", Align.LEFT)
                        .column("at rest", Align.RIGHT)
                        .column("compacting", Align.RIGHT)
                        .column("ratio", Align.RIGHT)
                        .column("quartiles", Align.RIGHT)
                        .column("copying", Align.RIGHT)
                        .column("MiB/s", Align.RIGHT)
                        .column("critical", Align.RIGHT);
        for (GateKind gate : GateKind.values()) {
            Findings found = results.traffic(gate);
            Quartiles ratio = found.ratio(TrafficJvm.COMPACTING, TrafficJvm.AT_REST);
            table.row(
                    id(gate),
                    Format.thousands(found.median(TrafficJvm.AT_REST)),
                    Format.thousands(found.median(TrafficJvm.COMPACTING)),
                    Format.fixed(2, ratio.median()),
                    Format.spread(ratio, 2),
                    Format.percent(found.median(TrafficJvm.COMPACTION_SHARE)),
                    Format.mebibytes(found.median(TrafficJvm.EVACUATED)),
                    Format.thousands(found.median(TrafficJvm.CRITICAL)));
        }
        return table.text()
                + "80 % reads, 10 % updates, 10 % replacements; a thread for each processor."
                + " Copying: of a processor.\n"
                + "Critical: the highest rate at which 99 % of operations end within a"
                + " millisecond.\n";
    }

    private static String latencies(Results results) {
        Table table =
                new Table()
                        .column("gates, us", Align.LEFT)
                        .column("rate/1000", Align.RIGHT)
                        .column("operations", Align.RIGHT)
                        .column("p50", Align.RIGHT)
                        .column("p99", Align.RIGHT)
                        .column("p99.9", Align.RIGHT)
                        .column("worst", Align.RIGHT);
        for (GateKind gate : GateKind.values()) {
            Findings found = results.traffic(gate);
            row(table, id(gate), found, TrafficJvm.LATENCIES);
            row(table, "  control", found, TrafficJvm.CONTROL);
        }
        return table.text()
                + "From when an operation was to arrive; they come in bundles, 4000 a second."
                + " Control: plain copies.\n";
    }

    private static void row(Table table, String title, Findings found, String name) {
        Histogram nanos = found.latencies(name);
        table.row(
                title,
                Format.thousands(found.median(TrafficJvm.RATE)),
                Long.toString(nanos.getTotalCount()),
                Format.micros(nanos, 50),
                Format.micros(nanos, 99),
                Format.micros(nanos, 99.9),
                Format.longest(nanos));
    }

    private static String id(Enum<?> kind) {
        return kind.name().toLowerCase(Locale.ROOT);
    }

    /** Cycles without memory. */
    static String ofExhaustion(Results results) {
        Table table =
                new Table()
                        .column("out of memory", Align.LEFT)
                        .column("", Align.LEFT)
                        .column("cycles", Align.RIGHT)
                        .column("of all", Align.RIGHT)
                        .column("refused", Align.RIGHT)
                        .column("helped", Align.RIGHT)
                        .column("pinned", Align.RIGHT)
                        .column("full", Align.RIGHT)
                        .column("lost", Align.RIGHT)
                        .column("wait us", Align.RIGHT);
        for (OutOfMemoryPolicy policy : OutOfMemoryPolicy.values()) {
            Findings found = results.exhaustion(policy);
            for (Way way : Way.values()) {
                table.row(
                        id(policy),
                        way.id(),
                        count(found, ExhaustionJvm.EXHAUSTED, way),
                        count(found, ExhaustionJvm.CYCLES, way),
                        count(found, ExhaustionJvm.REFUSED, way),
                        count(found, ExhaustionJvm.HELPED, way),
                        count(found, ExhaustionJvm.PINNED, way),
                        count(found, ExhaustionJvm.FULL, way),
                        count(found, ExhaustionJvm.LOST, way),
                        Format.micros(found.max(way.sample(ExhaustionJvm.LONGEST_WAIT))));
            }
        }
        return table.text()
                + "Failing: every second attempt to make room for a copy; tight: a limit. Full:"
                + " allocations refused.\n"
                + "Wait: of a use of an object for its copy, the longest.\n"
                + times(results)
                + "\n";
    }

    private static String times(Results results) {
        StringBuilder text = new StringBuilder("Time of a compaction:");
        for (OutOfMemoryPolicy policy : OutOfMemoryPolicy.values()) {
            Histogram nanos = results.exhaustion(policy).latencies(ExhaustionJvm.COMPACTIONS);
            text.append(
                    String.format(Locale.ROOT, " %s %.0f us", id(policy), nanos.getMean() / 1e3));
        }
        return text.append('.').toString();
    }

    private static String count(Findings found, String name, Way way) {
        return Format.fixed(0, found.sum(way.sample(name)));
    }
}
