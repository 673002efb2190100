package io.polder.lab.experiments.elasticity;

import static io.polder.lab.report.Format.fixed;
import static io.polder.lab.report.Format.spread;
import static io.polder.lab.report.Format.times2;

import io.polder.lab.experiments.elasticity.Contender.Kind;
import io.polder.lab.harness.MallocLibrary;
import io.polder.lab.harness.Quartiles;
import io.polder.lab.report.Format;
import io.polder.tools.terminal.Columns;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** What the elasticity experiment prints: Polder alone, Polder against malloc, and the raw data. */
final class ElasticityText {
    private final List<Measurement> measurements;
    private final Set<MallocLibrary> libraries;
    private final ClassCatalogue catalogue;

    private ElasticityText(
            List<Measurement> measurements,
            Set<MallocLibrary> libraries,
            ClassCatalogue catalogue) {
        this.measurements = measurements;
        this.libraries = libraries;
        this.catalogue = catalogue;
    }

    /** The whole text. */
    static String of(
            List<Measurement> measurements,
            Set<MallocLibrary> libraries,
            Scale scale,
            ClassCatalogue catalogue) {
        ElasticityText text = new ElasticityText(measurements, libraries, catalogue);
        return String.join(
                "\n", text.polder(), text.times(), text.ratios(), text.raw(), text.how(scale));
    }

    private String polder() {
        return new Columns<Measurement>()
                        .words("Polder", one -> one.workload().id())
                        .number("peak MiB", one -> mebibytes(one.usedBytes(Stage.PEAK)))
                        .number("comm/used", one -> fixed(3, one.committedOverUsed(Stage.PEAK)))
                        .number("valley MiB", one -> mebibytes(one.usedBytes(Stage.TRIMMED)))
                        .number("comm/used", one -> fixed(3, one.committedOverUsed(Stage.TRIMMED)))
                        .number("end B", one -> fixed(0, one.endBytes()))
                        .number("maps", one -> fixed(0, one.mapsMax()))
                        .table(measurements)
                + """
                Used is what owners asked for. End: what is committed without an owner; maps: \
                mappings added.
                """;
    }

    /** A workload, in which memory is kept or given back. */
    private record Times(Measurement one, Figure figure, int blocks) {
        String nanos(Contender contender) {
            return fixed(1, one.median(contender, figure.value()) * 1e9 / blocks);
        }
    }

    private String times() {
        List<Times> rows = new ArrayList<>();
        for (Measurement one : measurements) {
            int blocks = BlockSlots.of(one.workload(), catalogue).count();
            rows.add(new Times(one, Figure.STEADY, blocks));
            rows.add(new Times(one, Figure.GIVEN_BACK, blocks));
        }
        Columns<Times> columns =
                new Columns<Times>()
                        .words("ns a block", row -> row.one.workload().id())
                        .words(
                                "memory is",
                                row -> row.figure.kind() == Kind.STEADY ? "kept" : "given back")
                        .number("Polder", row -> row.nanos(row.figure.polder()));
        for (MallocLibrary library : libraries) {
            columns.number(library.id(), row -> row.nanos(row.figure.malloc(library)));
        }
        return columns.table(rows)
                + """
                Time of processors to allocate a block, write and free it, with what giving memory \
                back takes.
                """;
    }

    /** A library, or a variant of it that has some figures only, against Polder. */
    private record Ratios(Measurement one, MallocLibrary library, boolean listed) {
        String who() {
            return contender(Figure.VALLEY).id();
        }

        String median(Figure figure) {
            return isKnown(figure) ? times2(ratio(figure).median()) : "";
        }

        String quartiles(Figure figure) {
            return isKnown(figure) ? spread(ratio(figure), 2) : "";
        }

        private boolean isKnown(Figure figure) {
            return !listed || figure.kind() == Kind.IDEAL;
        }

        private Quartiles ratio(Figure figure) {
            return one.ratio(contender(figure), figure.polder(), figure.value());
        }

        private Contender contender(Figure figure) {
            return listed ? Contender.malloc(Kind.LISTED, library) : figure.malloc(library);
        }
    }

    private String ratios() {
        List<Ratios> rows = new ArrayList<>();
        for (Measurement one : measurements) {
            for (MallocLibrary library : libraries) {
                rows.add(new Ratios(one, library, false));
                if (one.has(Contender.malloc(Kind.LISTED, library))) {
                    rows.add(new Ratios(one, library, true));
                }
            }
        }
        return new Columns<Ratios>()
                        .words("workload", row -> row.one.workload().id())
                        .words("malloc / Polder", Ratios::who)
                        .number(Figure.VALLEY.title(), row -> row.median(Figure.VALLEY))
                        .number(Figure.PEAK.title(), row -> row.median(Figure.PEAK))
                        .number(Figure.STEADY.title(), row -> row.median(Figure.STEADY))
                        .number("quartiles", row -> row.quartiles(Figure.STEADY))
                        .number(Figure.GIVEN_BACK.title(), row -> row.median(Figure.GIVEN_BACK))
                        .number("quartiles", row -> row.quartiles(Figure.GIVEN_BACK))
                        .number(Figure.TIME.title(), row -> row.median(Figure.TIME))
                        .table(rows)
                + """
                Valley and peak: RSS, what it grew by since the base. Times of processors; steady: \
                both keep what
                they had; given back: both give back what is free, in the valley and at the end; \
                left alone:
                Polder does, malloc decides for itself. -listed: each block behind a header of two \
                words, as
                published; the others without, addresses kept aside.
                """;
    }

    /** What a contender did. */
    private record Raw(Measurement one, Contender contender) {
        String rss(Stage stage) {
            return mebibytes(one.median(contender, round -> round.at(stage).rssBytes()));
        }

        String cgroup() {
            return one.median(contender, round -> round.at(Stage.BASE).cgroupBytes()) < 0
                    ? "-"
                    : mebibytes(
                            one.median(
                                    contender,
                                    round ->
                                            round.at(Stage.TRIMMED).cgroupBytes()
                                                    - round.at(Stage.BASE).cgroupBytes()));
        }
    }

    private String raw() {
        List<Raw> rows = new ArrayList<>();
        for (Measurement one : measurements) {
            Contender.all(libraries).stream()
                    .filter(contender -> contender.kind() != Kind.STEADY && one.has(contender))
                    .forEach(contender -> rows.add(new Raw(one, contender)));
        }
        return new Columns<Raw>()
                        .words("medians", row -> row.one.workload().id())
                        .words("contender", row -> row.contender.id())
                        .number(
                                "load s",
                                row ->
                                        fixed(
                                                3,
                                                row.one.median(
                                                        row.contender, Recording::loadSeconds)))
                        .number(
                                "free s",
                                row ->
                                        fixed(
                                                3,
                                                row.one.median(
                                                        row.contender, Recording::unloadSeconds)))
                        .number(
                                "cpu s",
                                row ->
                                        fixed(
                                                3,
                                                row.one.median(
                                                        row.contender, Recording::cpuSeconds)))
                        .number("base", row -> row.rss(Stage.BASE))
                        .number("peak", row -> row.rss(Stage.PEAK))
                        .number("valley", row -> row.rss(Stage.VALLEY))
                        .number("trimmed", row -> row.rss(Stage.TRIMMED))
                        .number("end", row -> row.rss(Stage.END))
                        .number("cgroup", Raw::cgroup)
                        .number(
                                "maps",
                                row -> fixed(0, row.one.max(row.contender, Recording::mapsAdded)))
                        .table(rows)
                + """
                Base to end: RSS of the process in MiB. Trimmed: the valley after Polder was \
                trimmed and -asked was
                told to give memory back, the others left alone. cgroup: growth of the control \
                group until then,
                whatever else runs in it. Maps: most mappings beyond those at the base.
                """;
    }

    private String how(Scale scale) {
        return Format.text(
                        """
                        Classes: drawn from %d class files of this JDK, on average %.1f KiB in \
                        %.0f blocks.
                        Each figure: %d fresh JVM%s, %.1f s of warm-up, %.1f s of waiting in the \
                        valley. Loaders: %s.
                        """,
                        catalogue.size(),
                        catalogue.meanBytes() / 1024,
                        catalogue.meanBlocks(),
                        scale.rounds(),
                        scale.rounds() == 1 ? "" : "s",
                        scale.warmup().toMillis() / 1000.0,
                        scale.rest().toMillis() / 1000.0,
                        scale.divisor() == 1 ? "all" : "one of " + scale.divisor())
                + MallocLibrary.missing(Contender.LIBRARIES, libraries);
    }

    private static String mebibytes(double bytes) {
        return Format.mebibytes(bytes < 100 * (1 << 20) ? 1 : 0, bytes);
    }
}
