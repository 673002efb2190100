package io.polder.lab.experiments.evacuation;

import static io.polder.lab.report.Format.nanos;
import static io.polder.lab.report.Format.spread;
import static io.polder.lab.report.Format.times;

import io.polder.lab.experiments.evacuation.ReadJvm.Kind;
import io.polder.lab.experiments.evacuation.Scale.GatePlan;
import io.polder.lab.harness.Findings;
import io.polder.lab.harness.Quartiles;
import io.polder.lab.report.Format;
import io.polder.tools.terminal.Columns;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/** What the experiment prints of gates, and of reads that pass one. */
final class GateText {
    /** Share of the processors from which on the measuring threads count as alone. */
    private static final double ALONE = 0.8;

    private GateText() {}

    static String of(Findings gates) {
        return passes(gates) + "\n" + ratios(gates) + busy(gates);
    }

    /** A row with a cell for each number of threads. */
    private record Row(String title, IntFunction<String> cell) {
        /** The row below another one. */
        static Row spreads(IntFunction<String> cell) {
            return new Row("  quartiles", cell);
        }
    }

    private static String passes(Findings gates) {
        List<Row> rows = new ArrayList<>();
        for (GateContender contender : GateContender.values()) {
            IntFunction<Quartiles> pass = threads -> gates.quartiles(contender.samples(threads));
            rows.add(new Row(contender.id(), threads -> nanos(pass.apply(threads).median())));
            rows.add(
                    Row.spreads(
                            threads -> {
                                Quartiles nanos = pass.apply(threads);
                                return spread(nanos, nanos.upper() < 100 ? 1 : 0);
                            }));
        }
        return table("enter and leave, ns", rows)
                + "Time of a processor for one pass, medians and quartiles. Slot: looked up each"
                + " time; accessor: held.\n";
    }

    private static String ratios(Findings gates) {
        List<Row> rows = new ArrayList<>();
        for (GateContender.Pair pair : GateContender.Pair.ALL) {
            rows.add(
                    new Row(
                            pair.one().id() + " / " + pair.other().id(),
                            threads -> times(pair.ratio(gates, threads).median())));
            rows.add(Row.spreads(threads -> spread(pair.ratio(gates, threads), 1)));
        }
        return table("ratio", rows);
    }

    private static String table(String title, List<Row> rows) {
        Columns<Row> columns = new Columns<Row>().words(title, Row::title);
        for (int threads : GatePlan.THREADS) {
            columns.number(
                    threads + (threads == 1 ? " thread" : " threads"),
                    row -> row.cell.apply(threads));
        }
        return columns.table(rows);
    }

    private static String busy(Findings gates) {
        double processors = gates.median(GateJvm.PROCESSORS);
        int all = Runtime.getRuntime().availableProcessors();
        return processors >= ALONE * all
                ? ""
                : Format.text(
                        "Busy machine: threads for %d processors got %.1f of them, so there was"
                                + " less contention.%n",
                        all, processors);
    }

    /** What is copied, by itself and through the heap. */
    private record Copies(String title, Kind copy, Kind read, Kind get) {}

    /** Reads against copies. */
    static String ofReads(Findings reads) {
        return new Columns<Copies>()
                .words("copy of an object, ns", Copies::title)
                .number("plain", row -> nanos(reads.median(row.copy.id())))
                .number("read", row -> nanos(reads.median(row.read.id())))
                .number("get", row -> nanos(reads.median(row.get.id())))
                .number("read - copy", row -> nanos(over(reads, row.read, row).median()))
                .number("quartiles", row -> spread(over(reads, row.read, row), 1))
                .number("get - copy", row -> nanos(over(reads, row.get, row).median()))
                .number("quartiles", row -> spread(over(reads, row.get, row), 1))
                .table(
                        List.of(
                                new Copies(
                                        "objects in the caches",
                                        Kind.COPY_WARM,
                                        Kind.READ_WARM,
                                        Kind.GET_WARM),
                                new Copies(
                                        "objects in memory",
                                        Kind.COPY_COLD,
                                        Kind.READ_COLD,
                                        Kind.GET_COLD)));
    }

    /** Uses of small objects. */
    static String ofAccess(Findings access, Scale.AccessPlan plan) {
        return new Columns<AccessJvm.Kind>()
                        .words("objects of 64 bytes, ns", Format::id)
                        .number("median", kind -> nanos(access.median(kind.id())))
                        .number("quartiles", kind -> spread(access.quartiles(kind.id()), 1))
                        .table(List.of(AccessJvm.Kind.values()))
                + Format.text(
                        """
                        Few: %d that the caches hold; random: of %,d. A copy is by address,
                        from huge pages where the system has them. Many readers: functions of five
                        classes in turn; %.0f B of the Java heap a read.
                        """,
                        AccessJvm.FEW, plan.objects(), access.median(AccessJvm.MANY_READERS_BYTES));
    }

    private static Quartiles over(Findings reads, Kind use, Copies row) {
        return reads.difference(use.id(), row.copy.id());
    }
}
