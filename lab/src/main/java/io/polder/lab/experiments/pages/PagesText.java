package io.polder.lab.experiments.pages;

import io.polder.lab.experiments.pages.Latencies.Group;
import io.polder.lab.experiments.pages.Outcome.Value;
import io.polder.lab.harness.Findings;
import io.polder.lab.harness.Quartiles;
import io.polder.tools.terminal.Table;
import io.polder.tools.terminal.Table.Align;

import org.HdrHistogram.Histogram;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What the pages experiment prints: contenders, their latencies, a timeline, assembly alone. */
final class PagesText {
    private PagesText() {}

    /** The whole text. */
    static String of(List<Measurement> measurements, Findings assemblies, Scale scale) {
        StringBuilder text = new StringBuilder();
        text.append(contenders(measurements)).append('\n');
        text.append(latencies(measurements)).append('\n');
        text.append(heap(measurements)).append('\n');
        for (Measurement measurement : measurements) {
            if (measurement.contender() == Contender.POLDER) {
                text.append(timeline(measurement)).append('\n');
            }
        }
        text.append(assembly(assemblies)).append('\n');
        return text.append(how(scale)).toString();
    }

    private static String contenders(List<Measurement> measurements) {
        Table table =
                new Table()
                        .column("contender, us", Align.LEFT)
                        .column("assembled", Align.RIGHT)
                        .column("ahead", Align.RIGHT)
                        .column("moved MiB", Align.RIGHT)
                        .column("mean", Align.RIGHT)
                        .column("p99", Align.RIGHT)
                        .column("worst", Align.RIGHT)
                        .column("undist.", Align.RIGHT)
                        .column("refused", Align.RIGHT)
                        .column("maps", Align.RIGHT)
                        .column("wall s", Align.RIGHT);
        for (Measurement measurement : measurements) {
            Histogram all = measurement.latencies().all();
            table.row(
                    measurement.contender().id(),
                    fixed(0, PagesMetrics.assembledOnAllocation(measurement)),
                    fixed(0, atEnd(measurement, Point.Value.ASSEMBLED_AHEAD)),
                    mebibytes(atEnd(measurement, Point.Value.MOVED_BYTES)),
                    mean(all),
                    micros(all.getValueAtPercentile(99)),
                    micros(all.getMaxValue()),
                    micros(measurement.latencies().of(Group.UNDISTURBED).getMaxValue()),
                    fixed(0, PagesMetrics.refused(measurement)),
                    fixed(0, measurement.max(Recording::mapsAdded)),
                    fixed(1, measurement.median(run -> run.outcome().get(Value.WALL_NANOS)) / 1e9));
        }
        return table.text()
                + "Assembled: by who takes a page (typed: flushed); ahead: by others. Undist.: the"
                + " worst of those takes\n"
                + "that kept the processor. Refused: although enough was free. Maps: added to the"
                + " process, at most.\n";
    }

    private static String latencies(List<Measurement> measurements) {
        Table table =
                new Table()
                        .column("take, us", Align.LEFT)
                        .column("by", Align.LEFT)
                        .column("takes", Align.RIGHT)
                        .column("mean", Align.RIGHT)
                        .column("p50", Align.RIGHT)
                        .column("p99", Align.RIGHT)
                        .column("p99.9", Align.RIGHT)
                        .column("worst", Align.RIGHT);
        for (Measurement measurement : measurements) {
            Latencies latencies = measurement.latencies();
            for (Group group : Group.TAKERS) {
                latencyRow(table, measurement, group.title(), latencies.of(group));
            }
            latencyRow(table, measurement, "all", latencies.all());
            if (measurement.contender() == Contender.POLDER) {
                latencyRow(table, measurement, Group.CONTROL.title(), latencies.of(Group.CONTROL));
            }
        }
        return table.text()
                + "Control: no take, but 32 reads that miss the caches, after each take; no lock,"
                + " no call.\n"
                + "What is unusual in it is the machine's.\n";
    }

    private static void latencyRow(
            Table table, Measurement measurement, String title, Histogram takes) {
        table.row(
                measurement.contender().id(),
                title,
                Long.toString(takes.getTotalCount()),
                mean(takes),
                micros(takes.getValueAtPercentile(50)),
                micros(takes.getValueAtPercentile(99)),
                micros(takes.getValueAtPercentile(99.9)),
                micros(takes.getMaxValue()));
    }

    private static String heap(List<Measurement> measurements) {
        Table table =
                new Table()
                        .column("heap", Align.LEFT)
                        .column("small us", Align.RIGHT)
                        .column("medium us", Align.RIGHT)
                        .column("committed/live", Align.RIGHT)
                        .column("cycles", Align.RIGHT)
                        .column("moved MiB", Align.RIGHT)
                        .column("waits", Align.RIGHT)
                        .column("wait ms", Align.RIGHT)
                        .column("longest", Align.RIGHT);
        for (Measurement measurement : measurements) {
            double moved =
                    median(measurement, Value.MOVED_OBJECTS) * ObjectKind.SMALL.objectBytes();
            table.row(
                    measurement.contender().id(),
                    fixed(0, median(measurement, Value.WRITE_SMALL_NANOS) / 1e3),
                    fixed(0, median(measurement, Value.WRITE_MEDIUM_NANOS) / 1e3),
                    fixed(2, measurement.median(Recording::committedOverLive)),
                    fixed(0, median(measurement, Value.CYCLES)),
                    mebibytes(moved),
                    fixed(0, median(measurement, Value.WAITS)),
                    fixed(1, median(measurement, Value.WAIT_NANOS) / 1e6),
                    fixed(1, median(measurement, Value.WAIT_NANOS_MAX) / 1e6));
        }
        double collections =
                measurements.stream()
                        .mapToDouble(measurement -> measurement.sum(Recording::collections))
                        .sum();
        return table.text()
                + "Small, medium: writing objects of 2 MiB, with the first touch. Committed/live:"
                + " each at its peak.\n"
                + "Cycles and moved: of the collector. Waits: of the mutator for the collector,"
                + " memory being used up.\n"
                + (collections == 0
                        ? ""
                        : fixed(0, collections)
                                + " collections of a JVM's own heap fell into the runs.\n");
    }

    private static String timeline(Measurement polder) {
        Table table =
                new Table()
                        .column("polder, filled", Align.RIGHT)
                        .column("small MiB", Align.RIGHT)
                        .column("medium", Align.RIGHT)
                        .column("room", Align.RIGHT)
                        .column("free", Align.RIGHT)
                        .column("ready", Align.RIGHT)
                        .column("ahead", Align.RIGHT)
                        .column("takes 2M", Align.RIGHT)
                        .column("4M", Align.RIGHT)
                        .column("8M", Align.RIGHT)
                        .column("16M", Align.RIGHT)
                        .column("32M", Align.RIGHT);
        for (Point point : polder.recordings().getFirst().points()) {
            if (point.get(Point.Value.PART) % WorkloadRun.PARTS == 0) {
                List<String> cells = new ArrayList<>();
                cells.add(Long.toString(point.get(Point.Value.PART) / WorkloadRun.PARTS));
                cells.add(mebibytes(point, Point.Value.SMALL_BYTES));
                cells.add(mebibytes(point, Point.Value.MEDIUM_BYTES));
                cells.add(mebibytes(point, Point.Value.ROOM_BYTES));
                cells.add(mebibytes(point, Point.Value.FREE_BYTES));
                cells.add(mebibytes(point, Point.Value.READY_BYTES));
                for (Point.Value value :
                        List.of(
                                Point.Value.ASSEMBLED_AHEAD,
                                Point.Value.TAKES_2M,
                                Point.Value.TAKES_4M,
                                Point.Value.TAKES_8M,
                                Point.Value.TAKES_16M,
                                Point.Value.TAKES_32M)) {
                    cells.add(Long.toString(point.get(value)));
                }
                table.row(cells.toArray(String[]::new));
            }
        }
        return table.text()
                + "Each time that the medium objects were complete, in the first round. Room: of"
                + " the budget, what no\n"
                + "page takes up; free: memory of the cache; ready: in runs of 32 MiB and more."
                + " Takes so far.\n";
    }

    private static String assembly(Findings assemblies) {
        Table table =
                new Table()
                        .column("32 MiB of 16 granules", Align.LEFT)
                        .column("calls us", Align.RIGHT)
                        .column("quartiles", Align.RIGHT)
                        .column("touch us", Align.RIGHT)
                        .column("quartiles", Align.RIGHT);
        table.row(
                "remap",
                micros(assemblies.quartiles(AssemblyJvm.REMAP).median()),
                quartiles(assemblies.quartiles(AssemblyJvm.REMAP)),
                micros(assemblies.quartiles(AssemblyJvm.REMAP_TOUCH).median()),
                quartiles(assemblies.quartiles(AssemblyJvm.REMAP_TOUCH)));
        table.row(
                "unmap and map",
                micros(assemblies.quartiles(AssemblyJvm.MAP).median()),
                quartiles(assemblies.quartiles(AssemblyJvm.MAP)),
                micros(assemblies.quartiles(AssemblyJvm.MAP_TOUCH).median()),
                quartiles(assemblies.quartiles(AssemblyJvm.MAP_TOUCH)));
        return table.text();
    }

    private static String how(Scale scale) {
        return String.format(
                Locale.ROOT,
                "%d MiB of pages, 40 %% live small objects of 64 KiB, up to 40 %% medium ones of"
                        + " 512 KiB, filled\n"
                        + "up %d times. Each contender: %d fresh JVM%s, %.0f s of warm-up.\n",
                scale.program().budgetBytes() >> 20,
                scale.program().rounds(),
                scale.rounds(),
                scale.rounds() == 1 ? "" : "s",
                scale.warmup().toMillis() / 1e3);
    }

    private static double atEnd(Measurement measurement, Point.Value value) {
        return measurement.max(recording -> recording.end().get(value));
    }

    private static double median(Measurement measurement, Value value) {
        return measurement.median(recording -> recording.outcome().get(value));
    }

    private static String quartiles(Quartiles nanos) {
        return micros(nanos.lower()) + " - " + micros(nanos.upper());
    }

    private static String mean(Histogram takes) {
        double nanos = takes.getTotalCount() == 0 ? 0 : takes.getMean();
        return fixed(nanos < 100_000 ? 2 : 0, nanos / 1e3);
    }

    private static String micros(double nanos) {
        return fixed(nanos < 100_000 ? 1 : 0, nanos / 1e3);
    }

    private static String micros(long nanos) {
        return micros((double) nanos);
    }

    private static String mebibytes(Point point, Point.Value value) {
        return mebibytes((double) point.get(value));
    }

    private static String mebibytes(double bytes) {
        return fixed(0, bytes / (1 << 20));
    }

    private static String fixed(int digits, double value) {
        return String.format(Locale.ROOT, "%." + digits + "f", value);
    }
}
