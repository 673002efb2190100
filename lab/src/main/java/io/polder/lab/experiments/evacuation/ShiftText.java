package io.polder.lab.experiments.evacuation;

import io.polder.lab.experiments.evacuation.Scale.ShiftPlan;
import io.polder.lab.experiments.evacuation.ShiftPoint.Moment;
import io.polder.lab.experiments.evacuation.ShiftPoint.Value;
import io.polder.lab.harness.Findings;
import io.polder.tools.terminal.Table;
import io.polder.tools.terminal.Table.Align;

import org.HdrHistogram.Histogram;

import java.util.Locale;

/** What the experiment prints of the size-shift workload, and of a reader that stalls. */
final class ShiftText {
    private ShiftText() {}

    static String of(Results results, ShiftPlan plan) {
        StringBuilder text = new StringBuilder();
        for (ShiftContender contender : ShiftContender.values()) {
            text.append(phases(contender, results.shift(contender))).append('\n');
        }
        return text
                + String.format(
                        Locale.ROOT,
                        "At most %d MiB of values. RSS: MiB since the start, at the end of a phase"
                                + " and after a rest of %.1f s%n(malloc %.1f s). Others: of a"
                                + " processor, for all other threads, in the phase and its rest.%n",
                        plan.budgetBytes() >> 20,
                        plan.rest().toMillis() / 1e3,
                        plan.restUnmoved().toMillis() / 1e3)
                + "\n"
                + latencies(results);
    }

    private static String phases(ShiftContender contender, ShiftFigures figures) {
        Table table =
                new Table()
                        .column(contender.id(), Align.LEFT)
                        .column("values", Align.RIGHT)
                        .column("live MiB", Align.RIGHT)
                        .column("RSS end", Align.RIGHT)
                        .column("rested", Align.RIGHT)
                        .column("live/RSS", Align.RIGHT)
                        .column("rested", Align.RIGHT)
                        .column("cycles", Align.RIGHT)
                        .column("copied MiB", Align.RIGHT)
                        .column("others", Align.RIGHT);
        long cycles = 0;
        long copied = 0;
        long background = 0;
        long nanos = 0;
        for (ShiftPhase phase : ShiftPhase.values()) {
            ShiftPoint end = figures.point(phase, Moment.END);
            ShiftPoint rested = figures.point(phase, Moment.RESTED);
            table.row(
                    phase.title(),
                    Long.toString(rested.get(Value.LIVING)),
                    Format.mebibytes(rested.get(Value.LIVE_BYTES)),
                    Format.mebibytes(end.get(Value.RSS_BYTES)),
                    Format.mebibytes(rested.get(Value.RSS_BYTES)),
                    Format.fixed(2, end.liveOverRss()),
                    Format.fixed(2, rested.liveOverRss()),
                    known(rested.get(Value.CYCLES), cycles),
                    rested.get(Value.EVACUATED_BYTES) == ShiftPoint.UNKNOWN
                            ? ""
                            : Format.mebibytes(rested.get(Value.EVACUATED_BYTES) - copied),
                    Format.percent(
                            (double) (rested.get(Value.BACKGROUND_NANOS) - background)
                                    / Math.max(1, rested.get(Value.NANOS) - nanos)));
            cycles = rested.get(Value.CYCLES);
            copied = rested.get(Value.EVACUATED_BYTES);
            background = rested.get(Value.BACKGROUND_NANOS);
            nanos = rested.get(Value.NANOS);
        }
        return table.text();
    }

    private static String known(long value, long before) {
        return value == ShiftPoint.UNKNOWN ? "" : Long.toString(value - before);
    }

    private static String latencies(Results results) {
        Table table =
                new Table()
                        .column("us", Align.LEFT)
                        .column("", Align.LEFT)
                        .column("count", Align.RIGHT)
                        .column("p50", Align.RIGHT)
                        .column("p99", Align.RIGHT)
                        .column("p99.99", Align.RIGHT)
                        .column("worst", Align.RIGHT);
        for (ShiftContender contender : ShiftContender.values()) {
            Findings found = results.shift(contender).findings();
            row(table, contender.id(), "put", found.latencies(ShiftJvm.PUTS));
            row(table, contender.id(), "read", found.latencies(ShiftJvm.READS));
            row(table, contender.id(), "update", found.latencies(ShiftJvm.UPDATES));
            row(table, contender.id(), "control", found.latencies(ShiftJvm.CONTROL));
        }
        Findings heap = results.shift(ShiftContender.HEAP).findings();
        Findings stall = results.stall();
        row(table, "stalled", "others", stall.latencies(StallJvm.OPERATIONS));
        row(table, "stalled", "control", stall.latencies(StallJvm.CONTROL));
        return table.text()
                + String.format(
                        Locale.ROOT,
                        "Control: a thread that uses no heap; what is unusual in it is the"
                            + " machine's.%nA copy was waited for, or made, for %.1f us at most;"
                            + " while a reader stalled, for %.1f us.%nCompaction waited %.0f ms for"
                            + " that reader; the statistics %s it.%n",
                        heap.max(ShiftJvm.LONGEST_WAIT) / 1e3,
                        stall.max(StallJvm.LONGEST_WAIT) / 1e3,
                        stall.max(StallJvm.GRACE) / 1e6,
                        stall.max(StallJvm.NAMED) == 1 ? "named" : "did not name");
    }

    private static void row(Table table, String who, String what, Histogram nanos) {
        table.row(
                who,
                what,
                Long.toString(nanos.getTotalCount()),
                Format.micros(nanos, 50),
                Format.micros(nanos, 99),
                Format.micros(nanos, 99.99),
                Format.longest(nanos));
    }
}
