package io.polder.lab.experiments.blocks;

import static io.polder.lab.report.Format.times2;

import io.polder.lab.experiments.blocks.MemoryJvm.Memory;
import io.polder.lab.experiments.blocks.Workload.Timed;
import io.polder.lab.harness.Findings;
import io.polder.lab.harness.MallocLibrary;
import io.polder.lab.report.Format;
import io.polder.tools.terminal.Columns;

import java.util.List;
import java.util.stream.Collectors;

/** What the blocks experiment prints: times, ratios, resident memory, and the burst. */
final class BlocksText {
    private BlocksText() {}

    static String of(Results results, Scale scale) {
        return String.join(
                "\n",
                times(results),
                ratios(results),
                peaks(results),
                burst(results),
                how(results, scale));
    }

    private static String times(Results results) {
        Columns<Timed> columns = new Columns<Timed>().words("ns an operation", Timed::id);
        for (Contender contender : Contender.timed(results.libraries())) {
            String title =
                    switch (contender.call()) {
                        case JAVA -> "Polder";
                        case PLAIN -> contender.owner();
                        case CRITICAL -> "crit.";
                    };
            columns.number(title, row -> Format.nanos(results.nanos(contender, row.id())));
        }
        return columns.table(Workload.TIMED)
                + """
                Time of processors, of all threads, for an operation: a free and an allocation; in \
                xmalloc a block
                allocated by one thread and freed by another; in growth a reallocate. Each library \
                by plain and by
                critical downcalls.
                """;
    }

    private static String ratios(Results results) {
        Columns<Timed> columns = new Columns<Timed>().words("malloc / Polder", Timed::id);
        for (MallocLibrary library : results.libraries()) {
            columns.number(
                    library.id(), row -> times2(results.timeRatio(library, row.id()).median()));
        }
        return columns.table(Workload.TIMED)
                + "The same as ratios, by the better call of each library.\n";
    }

    private static String peaks(Results results) {
        Columns<String> columns = new Columns<String>().words("peak", workload -> workload);
        for (MallocLibrary library : results.libraries()) {
            columns.number(
                    library.id(),
                    workload -> times2(results.peakRatio(library, workload).median()));
        }
        for (Contender contender : Contender.weighed(results.libraries())) {
            columns.number(
                    contender.owner(),
                    workload -> mebibytes(Results.median(results.peakGrowth(contender, workload))));
        }
        return columns.table(BlocksMetrics.watched())
                + "What the resident set grew by at most: malloc / Polder, and in MiB.\n";
    }

    private static String burst(Results results) {
        Columns<Contender> columns = new Columns<Contender>().words("burst, MiB", Contender::owner);
        addStage(columns, results, "full", Burst.FULL);
        results.firstBurst(Contender.POLDER).points(Memory.class).stream()
                .map(Memory::stage)
                .filter(stage -> stage.startsWith("idle"))
                .forEach(stage -> addStage(columns, results, stage.substring(4) + " s", stage));
        addStage(columns, results, "end", Burst.END);
        return columns.number("cgroup", contender -> cgroup(results.firstBurst(contender)))
                        .table(Contender.weighed(results.libraries()))
                + Format.text(
                        """
                        What the resident set grew by: with all blocks, each second after 95 %% of \
                        them were freed, and at
                        the end, when all are free and each was asked to give memory back. cgroup: \
                        what the control group
                        grew by from the beginning to %d s, whatever else runs in it.
                        """,
                        Burst.COMPARED_SECOND);
    }

    private static void addStage(
            Columns<Contender> columns, Results results, String title, String stage) {
        columns.number(
                title,
                contender -> mebibytes(Results.median(results.burstGrowth(contender, stage))));
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
        return Format.text(
                        """
                        Polder: %.2f B of Java heap for an operation of pair; metadata %.2f %% of \
                        what is committed;
                        %.0f B committed at the end.
                        %d JVM%s of each contender, %d samples of %d ms in each; burst of %d MiB \
                        in %d s.
                        """,
                        results.heapBytesPerOperation(),
                        100 * results.metadata(),
                        results.finalCommittedBytes(),
                        scale.rounds(),
                        scale.rounds() == 1 ? "" : "s",
                        scale.windows(),
                        scale.window().toMillis(),
                        scale.burstBytes() >> 20,
                        scale.traffic().toSeconds())
                + MallocLibrary.missing(List.of(MallocLibrary.values()), results.libraries());
    }

    private static String mebibytes(double bytes) {
        return Format.mebibytes(1, bytes);
    }
}
