package io.polder.lab.experiments.evacuation;

import io.polder.lab.experiments.evacuation.Scale.GatePlan;
import io.polder.lab.harness.Findings;
import io.polder.lab.harness.Quartiles;
import io.polder.tools.terminal.Table;
import io.polder.tools.terminal.Table.Align;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What the experiment prints of gates, and of reads that pass one. */
final class GateText {
    /** Share of the processors from which on the measuring threads count as alone. */
    private static final double ALONE = 0.8;

    private static final String SPREAD = "  quartiles";

    private GateText() {}

    static String of(Findings gates) {
        return passes(gates) + "\n" + ratios(gates) + busy(gates);
    }

    private static String passes(Findings gates) {
        Table table = table("enter and leave, ns");
        for (GateContender contender : GateContender.values()) {
            List<String> medians = new ArrayList<>(List.of(contender.id()));
            List<String> spreads = new ArrayList<>(List.of(SPREAD));
            for (int threads : GatePlan.THREADS) {
                Quartiles nanos = gates.quartiles(contender.samples(threads));
                medians.add(Format.nanos(nanos.median()));
                spreads.add(Format.spread(nanos, nanos.upper() < 100 ? 1 : 0));
            }
            table.row(medians.toArray(String[]::new));
            table.row(spreads.toArray(String[]::new));
        }
        return table.text()
                + "Time of a processor for one pass, medians and quartiles. Slot: looked up each"
                + " time; accessor: held.\n";
    }

    private static String ratios(Findings gates) {
        Table table = table("ratio");
        ratio(table, gates, GateContender.STRIPED, GateContender.SLOT);
        ratio(table, gates, GateContender.SINGLE, GateContender.SLOT);
        ratio(table, gates, GateContender.STRIPED, GateContender.ACCESSOR);
        return table.text();
    }

    private static void ratio(Table table, Findings gates, GateContender one, GateContender other) {
        List<String> medians = new ArrayList<>(List.of(one.id() + " / " + other.id()));
        List<String> spreads = new ArrayList<>(List.of(SPREAD));
        for (int threads : GatePlan.THREADS) {
            Quartiles ratio = gates.ratio(one.samples(threads), other.samples(threads));
            medians.add(Format.times(ratio.median()));
            spreads.add(Format.spread(ratio, 1));
        }
        table.row(medians.toArray(String[]::new));
        table.row(spreads.toArray(String[]::new));
    }

    private static Table table(String title) {
        Table table = new Table().column(title, Align.LEFT);
        for (int threads : GatePlan.THREADS) {
            table.column(threads + (threads == 1 ? " thread" : " threads"), Align.RIGHT);
        }
        return table;
    }

    private static String busy(Findings gates) {
        double processors = gates.median(GateJvm.PROCESSORS);
        int all = Runtime.getRuntime().availableProcessors();
        return processors >= ALONE * all
                ? ""
                : String.format(
                        Locale.ROOT,
                        "Busy machine: threads for %d processors got %.1f of them, so there was"
                                + " less contention.%n",
                        all,
                        processors);
    }

    /** Reads against copies. */
    static String ofReads(Findings reads) {
        Table table =
                new Table()
                        .column("copy of an object, ns", Align.LEFT)
                        .column("plain", Align.RIGHT)
                        .column("read", Align.RIGHT)
                        .column("get", Align.RIGHT)
                        .column("read - copy", Align.RIGHT)
                        .column("quartiles", Align.RIGHT)
                        .column("get - copy", Align.RIGHT)
                        .column("quartiles", Align.RIGHT);
        row(
                table,
                "objects in the caches",
                reads,
                List.of(ReadJvm.Kind.COPY_WARM, ReadJvm.Kind.READ_WARM, ReadJvm.Kind.GET_WARM));
        row(
                table,
                "objects in memory",
                reads,
                List.of(ReadJvm.Kind.COPY_COLD, ReadJvm.Kind.READ_COLD, ReadJvm.Kind.GET_COLD));
        return table.text();
    }

    private static void row(Table table, String title, Findings reads, List<ReadJvm.Kind> kinds) {
        String copy = kinds.get(0).id();
        Quartiles read = reads.difference(kinds.get(1).id(), copy);
        Quartiles get = reads.difference(kinds.get(2).id(), copy);
        table.row(
                title,
                Format.nanos(reads.median(copy)),
                Format.nanos(reads.median(kinds.get(1).id())),
                Format.nanos(reads.median(kinds.get(2).id())),
                Format.nanos(read.median()),
                Format.spread(read, 1),
                Format.nanos(get.median()),
                Format.spread(get, 1));
    }
}
