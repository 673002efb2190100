package io.polder.lab.experiments.pages;

import static io.polder.lab.report.Format.fixed;
import static io.polder.lab.report.Format.longest;
import static io.polder.lab.report.Format.mebibytes;
import static io.polder.lab.report.Format.micros;

import io.polder.lab.experiments.pages.Latencies.Group;
import io.polder.lab.experiments.pages.Recording.Figure;
import io.polder.lab.harness.Findings;
import io.polder.lab.harness.Quartiles;
import io.polder.lab.report.Format;
import io.polder.tools.terminal.Columns;

import org.HdrHistogram.Histogram;

import java.util.ArrayList;
import java.util.List;

/** What the pages experiment prints: contenders, their latencies, a timeline, assembly alone. */
final class PagesText {
    private PagesText() {}

    /** The whole text. */
    static String of(List<Measurement> measurements, Findings assemblies, Scale scale) {
        List<String> parts = new ArrayList<>();
        parts.add(contenders(measurements));
        parts.add(latencies(measurements));
        parts.add(heap(measurements));
        measurements.stream()
                .filter(Measurement::isPolder)
                .forEach(polder -> parts.add(timeline(polder)));
        parts.add(assembly(assemblies));
        parts.add(how(scale));
        return String.join("\n", parts);
    }

    private static String contenders(List<Measurement> measurements) {
        return new Columns<Measurement>()
                        .words("contender, us", m -> m.contender().id())
                        .number("assembled", m -> fixed(0, m.assembledOnAllocation()))
                        .number("ahead", m -> fixed(0, m.atEnd(Point.Value.ASSEMBLED_AHEAD)))
                        .number("moved MiB", m -> mebibytes(m.atEnd(Point.Value.MOVED_BYTES)))
                        .number("mean", m -> mean(m.latencies().all()))
                        .number("p99", m -> micros(m.latencies().all(), 99))
                        .number("worst", m -> longest(m.latencies().all()))
                        .number("undist.", m -> longest(m.latencies().of(Group.UNDISTURBED)))
                        .number("refused", m -> fixed(0, m.refused()))
                        .number("maps", m -> fixed(0, m.max(Recording::mapsAdded)))
                        .number("wall s", m -> fixed(1, m.median(Figure.WALL_NANOS) / 1e9))
                        .table(measurements)
                + """
                Assembled: by the taking thread (typed: flushed); ahead: by others. Undist.: the \
                worst of those
                takes that kept the processor. Refused: although enough was free. Maps: added, at \
                most.
                """;
    }

    /** Takes of a contender, or what stands beside them. */
    private record Takes(Contender contender, String by, Histogram nanos) {}

    private static String latencies(List<Measurement> measurements) {
        List<Takes> rows = new ArrayList<>();
        for (Measurement measurement : measurements) {
            Contender contender = measurement.contender();
            Latencies latencies = measurement.latencies();
            for (Group group : Group.TAKERS) {
                rows.add(new Takes(contender, group.title(), latencies.of(group)));
            }
            rows.add(new Takes(contender, "all", latencies.all()));
            if (measurement.isPolder()) {
                Histogram control = latencies.of(Group.CONTROL);
                rows.add(new Takes(contender, Group.CONTROL.title(), control));
            }
        }
        return new Columns<Takes>()
                        .words("take, us", takes -> takes.contender.id())
                        .words("by", Takes::by)
                        .number("takes", takes -> Long.toString(takes.nanos.getTotalCount()))
                        .number("mean", takes -> mean(takes.nanos))
                        .number("p50", takes -> micros(takes.nanos, 50))
                        .number("p99", takes -> micros(takes.nanos, 99))
                        .number("p99.9", takes -> micros(takes.nanos, 99.9))
                        .number("worst", takes -> longest(takes.nanos))
                        .table(rows)
                + """
                Control: no take, but 32 reads that miss the caches, after each take; no lock, no \
                call.
                What is unusual in it is the machine's.
                """;
    }

    private static String heap(List<Measurement> measurements) {
        double collections =
                measurements.stream().mapToDouble(m -> m.sum(Figure.COLLECTIONS)).sum();
        return new Columns<Measurement>()
                        .words("heap", m -> m.contender().id())
                        .number("small us", m -> thousandth(0, m.median(Figure.WRITE_SMALL_NANOS)))
                        .number(
                                "medium us",
                                m -> thousandth(0, m.median(Figure.WRITE_MEDIUM_NANOS)))
                        .number(
                                "committed/live",
                                m -> fixed(2, m.median(Recording::committedOverLive)))
                        .number("cycles", m -> fixed(0, m.median(Figure.CYCLES)))
                        .number("moved MiB", m -> mebibytes(movedBytes(m)))
                        .number("waits", m -> fixed(0, m.median(Figure.WAITS)))
                        .number("wait ms", m -> fixed(1, m.median(Figure.WAIT_NANOS) / 1e6))
                        .number("longest", m -> fixed(1, m.median(Figure.WAIT_NANOS_MAX) / 1e6))
                        .table(measurements)
                + """
                Small, medium: writing objects of 2 MiB, with the first touch. Committed/live: \
                each at its peak.
                Cycles and moved: of the collector. Waits: of the mutator for the collector, \
                memory being used up.
                """
                + (collections == 0
                        ? ""
                        : fixed(0, collections)
                                + " collections of a JVM's own heap fell into the runs.\n");
    }

    private static double movedBytes(Measurement measurement) {
        return measurement.median(Figure.MOVED_OBJECTS) * ObjectKind.SMALL.objectBytes();
    }

    private static String timeline(Measurement polder) {
        List<Point> complete =
                polder.recordings().getFirst().points().stream()
                        .filter(point -> point.get(Point.Value.PART) % WorkloadRun.PARTS == 0)
                        .toList();
        return new Columns<Point>()
                        .number(
                                "polder, filled",
                                point ->
                                        Long.toString(
                                                point.get(Point.Value.PART) / WorkloadRun.PARTS))
                        .number("small MiB", point -> mebibytes(point.get(Point.Value.SMALL_BYTES)))
                        .number("medium", point -> mebibytes(point.get(Point.Value.MEDIUM_BYTES)))
                        .number("room", point -> mebibytes(point.get(Point.Value.ROOM_BYTES)))
                        .number("free", point -> mebibytes(point.get(Point.Value.FREE_BYTES)))
                        .number("ready", point -> mebibytes(point.get(Point.Value.READY_BYTES)))
                        .number("ahead", point -> point.text(Point.Value.ASSEMBLED_AHEAD))
                        .number("takes 2M", point -> point.text(Point.Value.TAKES_2M))
                        .number("4M", point -> point.text(Point.Value.TAKES_4M))
                        .number("8M", point -> point.text(Point.Value.TAKES_8M))
                        .number("16M", point -> point.text(Point.Value.TAKES_16M))
                        .number("32M", point -> point.text(Point.Value.TAKES_32M))
                        .table(complete)
                + """
                Each time that the medium objects were complete, in the first round. Room: of the \
                budget, what no
                page takes up; free: memory of the cache; ready: in runs of 32 MiB and more. Takes \
                so far.
                """;
    }

    /** A way to assemble: its calls, and the first touch afterwards. */
    private record Way(String name, Quartiles calls, Quartiles touch) {}

    private static String assembly(Findings found) {
        List<Way> ways =
                List.of(
                        new Way(
                                "remap",
                                found.quartiles(AssemblyJvm.REMAP),
                                found.quartiles(AssemblyJvm.REMAP_TOUCH)),
                        new Way(
                                "unmap and map",
                                found.quartiles(AssemblyJvm.MAP),
                                found.quartiles(AssemblyJvm.MAP_TOUCH)));
        return new Columns<Way>()
                .words("32 MiB of 16 granules", Way::name)
                .number("calls us", way -> micros(way.calls.median()))
                .number("quartiles", way -> quartiles(way.calls))
                .number("touch us", way -> micros(way.touch.median()))
                .number("quartiles", way -> quartiles(way.touch))
                .table(ways);
    }

    private static String how(Scale scale) {
        return Format.text(
                """
                %d MiB of pages, 40 %% live small objects of 64 KiB, up to 40 %% medium ones of \
                512 KiB, filled
                up %d times. Each contender: %d fresh JVM%s, %.0f s of warm-up.
                """,
                scale.program().budgetBytes() >> 20,
                scale.program().rounds(),
                scale.rounds(),
                scale.rounds() == 1 ? "" : "s",
                scale.warmup().toMillis() / 1e3);
    }

    private static String quartiles(Quartiles nanos) {
        return micros(nanos.lower()) + " - " + micros(nanos.upper());
    }

    private static String mean(Histogram takes) {
        double nanos = takes.getTotalCount() == 0 ? 0 : takes.getMean();
        return thousandth(nanos < 100_000 ? 2 : 0, nanos);
    }

    private static String thousandth(int digits, double value) {
        return fixed(digits, value / 1e3);
    }
}
