package io.polder.lab.experiments.blocks;

import io.polder.lab.experiments.blocks.MemoryJvm.Memory;
import io.polder.lab.harness.Findings;
import io.polder.lab.harness.MallocLibrary;
import io.polder.tools.terminal.Table;
import io.polder.tools.terminal.Table.Align;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** What the blocks experiment prints: times, ratios, resident memory, and the burst. */
final class BlocksText {
    private static final double MEBIBYTE = 1 << 20;

    private BlocksText() {}

    static String of(Results results, Scale scale) {
        return times(results)
                + "\n"
                + ratios(results)
                + "\n"
                + peaks(results)
                + "\n"
                + burst(results)
                + "\n"
                + how(results, scale);
    }

    private static String times(Results results) {
        Table table =
                new Table().column("ns an operation", Align.LEFT).column("Polder", Align.RIGHT);
        for (MallocLibrary library : results.libraries()) {
            table.column(library.id(), Align.RIGHT).column("crit.", Align.RIGHT);
        }
        for (Workload workload : Workload.ALL) {
            for (int threads : workload.threads()) {
                List<String> cells = new ArrayList<>();
                cells.add(workload.with(threads));
                for (Contender contender : Contender.timed(results.libraries())) {
                    double nanos = results.nanos(contender, workload.with(threads));
                    cells.add(fixed(nanos < 100 ? 1 : 0, nanos));
                }
                table.row(cells.toArray(String[]::new));
            }
        }
        return table.text()
                + "Time of processors, of all threads, for an operation: a free and an allocation;"
                + " in xmalloc a block\n"
                + "allocated by one thread and freed by another; in growth a reallocate. Each"
                + " library by plain and by\n"
                + "critical downcalls.\n";
    }

    private static String ratios(Results results) {
        Table table = new Table().column("malloc / Polder", Align.LEFT);
        results.libraries().forEach(library -> table.column(library.id(), Align.RIGHT));
        for (Workload workload : Workload.ALL) {
            for (int threads : workload.threads()) {
                List<String> cells = new ArrayList<>(List.of(workload.with(threads)));
                for (MallocLibrary library : results.libraries()) {
                    cells.add(times(results.timeRatio(library, workload.with(threads)).median()));
                }
                table.row(cells.toArray(String[]::new));
            }
        }
        return table.text() + "The same as ratios, by the better call of each library.\n";
    }

    private static String peaks(Results results) {
        Table table = new Table().column("peak", Align.LEFT);
        results.libraries().forEach(library -> table.column(library.id(), Align.RIGHT));
        Contender.weighed(results.libraries())
                .forEach(contender -> table.column(contender.owner(), Align.RIGHT));
        for (String workload : BlocksMetrics.watched()) {
            List<String> cells = new ArrayList<>(List.of(workload));
            for (MallocLibrary library : results.libraries()) {
                cells.add(times(results.peakRatio(library, workload).median()));
            }
            for (Contender contender : Contender.weighed(results.libraries())) {
                cells.add(mebibytes(Results.median(results.peakGrowth(contender, workload))));
            }
            table.row(cells.toArray(String[]::new));
        }
        return table.text()
                + "What the resident set grew by at most: malloc / Polder, and in MiB.\n";
    }

    private static String burst(Results results) {
        Table table = new Table().column("burst, MiB", Align.LEFT).column("full", Align.RIGHT);
        List<String> stages = new ArrayList<>(List.of(Burst.FULL));
        results.firstBurst(Contender.POLDER).points(Memory.class).stream()
                .map(Memory::stage)
                .filter(stage -> stage.startsWith("idle"))
                .forEach(stages::add);
        stages.add(Burst.END);
        stages.subList(1, stages.size() - 1)
                .forEach(stage -> table.column(stage.substring(4) + " s", Align.RIGHT));
        table.column("end", Align.RIGHT).column("cgroup", Align.RIGHT);
        for (Contender contender : Contender.weighed(results.libraries())) {
            List<String> cells = new ArrayList<>(List.of(contender.owner()));
            for (String stage : stages) {
                cells.add(mebibytes(Results.median(results.burstGrowth(contender, stage))));
            }
            cells.add(cgroup(results.firstBurst(contender)));
            table.row(cells.toArray(String[]::new));
        }
        return table.text()
                + "What the resident set grew by: with all blocks, each second after 95 % of them"
                + " were freed, and at\n"
                + "the end, when all are free and each was asked to give memory back. cgroup: what"
                + " the control group\n"
                + "grew by from the beginning to "
                + Burst.COMPARED_SECOND
                + " s, whatever else runs in it.\n";
    }

    private static String cgroup(Findings findings) {
        List<Memory> points = findings.points(Memory.class);
        long begin = points.getFirst().cgroupBytes();
        return begin < 0
                ? "-"
                : points.stream()
                        .filter(point -> point.stage().equals(Burst.idle(Burst.COMPARED_SECOND)))
                        .map(point -> mebibytes((double) (point.cgroupBytes() - begin)))
                        .collect(Collectors.joining());
    }

    private static String how(Results results, Scale scale) {
        String missing =
                List.of(MallocLibrary.values()).stream()
                        .filter(library -> !results.libraries().contains(library))
                        .map(MallocLibrary::id)
                        .collect(Collectors.joining(", "));
        return String.format(
                        Locale.ROOT,
                        "Polder: %.2f B of Java heap for an operation of pair; metadata %.2f %% of"
                                + " what is committed;\n%.0f B committed at the end.\n",
                        results.heapBytesPerOperation(),
                        100 * results.metadata(),
                        results.finalCommittedBytes())
                + String.format(
                        Locale.ROOT,
                        "%d JVM%s of each contender, %d samples of %d ms in each; burst of %d MiB"
                                + " in %d s.\n",
                        scale.rounds(),
                        scale.rounds() == 1 ? "" : "s",
                        scale.windows(),
                        scale.window().toMillis(),
                        scale.burstBytes() >> 20,
                        scale.traffic().toSeconds())
                + (missing.isEmpty()
                        ? ""
                        : "\nNot installed, so not measured: "
                                + missing
                                + ". To install:\n"
                                + MallocLibrary.INSTALLING);
    }

    private static String times(double ratio) {
        return fixed(2, ratio) + "x";
    }

    private static String mebibytes(double bytes) {
        return fixed(1, bytes / MEBIBYTE);
    }

    private static String fixed(int digits, double value) {
        return String.format(Locale.ROOT, "%." + digits + "f", value);
    }
}
