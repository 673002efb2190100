package io.polder.lab.experiments.evacuation;

import static io.polder.lab.report.Format.fixed;
import static io.polder.lab.report.Format.longest;
import static io.polder.lab.report.Format.mebibytes;
import static io.polder.lab.report.Format.micros;

import io.polder.lab.experiments.evacuation.Scale.ShiftPlan;
import io.polder.lab.experiments.evacuation.ShiftPoint.Moment;
import io.polder.lab.experiments.evacuation.ShiftPoint.Value;
import io.polder.lab.harness.Findings;
import io.polder.lab.report.Format;
import io.polder.tools.terminal.Columns;

import org.HdrHistogram.Histogram;

import java.util.ArrayList;
import java.util.List;

/** What the experiment prints of the size-shift workload, a stalled reader, and a full heap. */
final class ShiftText {
    private ShiftText() {}

    static String of(Results results, ShiftPlan plan) {
        StringBuilder text = new StringBuilder();
        for (ShiftContender contender : ShiftContender.values()) {
            text.append(phases(contender, results.shift(contender))).append('\n');
        }
        return text
                + Format.text(
                        """
                        At most %d MiB of values. RSS: MiB since the start, at the end of a phase \
                        and after a rest of %.1f s
                        (malloc %.1f s). Others: of a processor, for all other threads, in the \
                        phase and its rest.

                        """,
                        plan.budgetBytes() >> 20,
                        plan.rest().toMillis() / 1e3,
                        plan.restUnmoved().toMillis() / 1e3)
                + latencies(results);
    }

    /** A phase between two rests: what there is at its end, and what was done since the first. */
    private record Phase(ShiftPhase phase, ShiftPoint before, ShiftPoint end, ShiftPoint rested) {
        long done(Value value) {
            return rested.get(value) - before.get(value);
        }

        boolean isKnown(Value value) {
            return rested.get(value) != ShiftPoint.UNKNOWN;
        }

        double othersShare() {
            return (double) done(Value.BACKGROUND_NANOS) / Math.max(1, done(Value.NANOS));
        }
    }

    private static String phases(ShiftContender contender, ShiftFigures figures) {
        List<Phase> phases = new ArrayList<>();
        ShiftPoint before = ShiftPoint.NOTHING;
        for (ShiftPhase phase : ShiftPhase.values()) {
            ShiftPoint rested = figures.point(phase, Moment.RESTED);
            phases.add(new Phase(phase, before, figures.point(phase, Moment.END), rested));
            before = rested;
        }
        return new Columns<Phase>()
                .words(contender.id(), row -> row.phase.title())
                .number("values", row -> Long.toString(row.rested.get(Value.LIVING)))
                .number("live MiB", row -> mebibytes(row.rested.get(Value.LIVE_BYTES)))
                .number("RSS end", row -> mebibytes(row.end.get(Value.RSS_BYTES)))
                .number("rested", row -> mebibytes(row.rested.get(Value.RSS_BYTES)))
                .number("live/RSS", row -> fixed(2, row.end.liveOverRss()))
                .number("rested", row -> fixed(2, row.rested.liveOverRss()))
                .number(
                        "cycles",
                        row ->
                                row.isKnown(Value.CYCLES)
                                        ? Long.toString(row.done(Value.CYCLES))
                                        : "")
                .number(
                        "copied MiB",
                        row ->
                                row.isKnown(Value.EVACUATED_BYTES)
                                        ? mebibytes(row.done(Value.EVACUATED_BYTES))
                                        : "")
                .number("others", row -> Format.percent(row.othersShare()))
                .table(phases);
    }

    /** What took how long. */
    private record Times(String who, String what, Histogram nanos) {}

    private static String latencies(Results results) {
        List<Times> rows = new ArrayList<>();
        for (ShiftContender contender : ShiftContender.values()) {
            Findings found = results.shift(contender).findings();
            rows.add(new Times(contender.id(), "put", found.latencies(ShiftJvm.PUTS)));
            rows.add(new Times(contender.id(), "read", found.latencies(ShiftJvm.READS)));
            rows.add(new Times(contender.id(), "update", found.latencies(ShiftJvm.UPDATES)));
            rows.add(new Times(contender.id(), "control", found.latencies(ShiftJvm.CONTROL)));
        }
        Findings heap = results.shift(ShiftContender.HEAP).findings();
        Findings stall = results.stall();
        rows.add(new Times("stalled", "others", stall.latencies(StallJvm.OPERATIONS)));
        rows.add(new Times("stalled", "control", stall.latencies(StallJvm.CONTROL)));
        Findings full = results.fullHeap();
        rows.add(new Times("88 % full", "allocate", full.latencies(FullHeapJvm.ALLOCATIONS)));
        rows.add(new Times("88 % full", "free", full.latencies(FullHeapJvm.CONTROL)));
        return new Columns<Times>()
                        .words("us", Times::who)
                        .words("", Times::what)
                        .number("count", row -> Long.toString(row.nanos.getTotalCount()))
                        .number("p50", row -> micros(row.nanos, 50))
                        .number("p99", row -> micros(row.nanos, 99))
                        .number("p99.99", row -> micros(row.nanos, 99.99))
                        .number("worst", row -> longest(row.nanos))
                        .table(rows)
                + Format.text(
                        """
                        Control: a thread that uses no heap; what is unusual in it is the \
                        machine's. So it is with
                        the frees of a heap that is nearly full, which wait for nothing.
                        A copy was waited for, or made, for %.1f us at most; while a reader \
                        stalled, for %.1f us.
                        Compaction waited %.0f ms for that reader; the statistics %s it.
                        """,
                        heap.max(ShiftJvm.LONGEST_WAIT) / 1e3,
                        stall.max(StallJvm.LONGEST_WAIT) / 1e3,
                        stall.max(StallJvm.GRACE) / 1e6,
                        stall.max(StallJvm.NAMED) == 1 ? "named" : "did not name");
    }
}
