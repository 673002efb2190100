package io.polder.lab.experiments.elasticity;

import io.polder.lab.experiments.elasticity.Contender.Kind;
import io.polder.lab.harness.Quartiles;
import io.polder.tools.terminal.Table;
import io.polder.tools.terminal.Table.Align;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** What the elasticity experiment prints: Polder alone, Polder against malloc, and the raw data. */
final class ElasticityText {
    private static final double MEBIBYTE = 1 << 20;

    private ElasticityText() {}

    /** The whole text. */
    static String of(
            List<Measurement> measurements,
            Set<MallocLibrary> libraries,
            Scale scale,
            ClassCatalogue catalogue) {
        return polder(measurements)
                + "\n"
                + times(measurements, libraries, catalogue)
                + "\n"
                + ratios(measurements, libraries)
                + "\n"
                + raw(measurements, libraries)
                + "\n"
                + how(scale, catalogue)
                + missing(libraries);
    }

    private static String polder(List<Measurement> measurements) {
        Table table =
                new Table()
                        .column("Polder", Align.LEFT)
                        .column("peak MiB", Align.RIGHT)
                        .column("comm/used", Align.RIGHT)
                        .column("valley MiB", Align.RIGHT)
                        .column("comm/used", Align.RIGHT)
                        .column("end B", Align.RIGHT)
                        .column("maps", Align.RIGHT);
        for (Measurement measurement : measurements) {
            table.row(
                    measurement.workload().id(),
                    used(measurement, Stage.PEAK),
                    fixed(3, committedOverUsed(measurement, Stage.PEAK)),
                    used(measurement, Stage.TRIMMED),
                    fixed(3, committedOverUsed(measurement, Stage.TRIMMED)),
                    fixed(0, ElasticityMetrics.finalCommittedBytes(measurement)),
                    fixed(0, ElasticityMetrics.mapsMax(measurement)));
        }
        return table.text()
                + "Used is what owners asked for. End: what is committed without an owner; maps:"
                + " mappings added.\n";
    }

    private static String times(
            List<Measurement> measurements,
            Set<MallocLibrary> libraries,
            ClassCatalogue catalogue) {
        Table table =
                new Table()
                        .column("ns a block", Align.LEFT)
                        .column("memory is", Align.LEFT)
                        .column("Polder", Align.RIGHT);
        libraries.forEach(library -> table.column(library.id(), Align.RIGHT));
        for (Measurement measurement : measurements) {
            int blocks = BlockSlots.of(measurement.workload(), catalogue).count();
            for (Figure figure : List.of(Figure.STEADY, Figure.GIVEN_BACK)) {
                List<String> cells = new ArrayList<>();
                cells.add(measurement.workload().id());
                cells.add(figure.kind() == Kind.STEADY ? "kept" : "given back");
                cells.add(nanos(measurement, figure.polder(), figure, blocks));
                for (MallocLibrary library : libraries) {
                    cells.add(nanos(measurement, figure.malloc(library), figure, blocks));
                }
                table.row(cells.toArray(String[]::new));
            }
        }
        return table.text()
                + "Time of processors to allocate a block, write and free it, with what giving"
                + " memory back takes.\n";
    }

    private static String nanos(
            Measurement measurement, Contender contender, Figure figure, int blocks) {
        return fixed(1, measurement.median(contender, figure.value()) * 1e9 / blocks);
    }

    private static String ratios(List<Measurement> measurements, Set<MallocLibrary> libraries) {
        Table table =
                new Table()
                        .column("workload", Align.LEFT)
                        .column("malloc / Polder", Align.LEFT)
                        .column(Figure.VALLEY.title(), Align.RIGHT)
                        .column(Figure.PEAK.title(), Align.RIGHT)
                        .column(Figure.STEADY.title(), Align.RIGHT)
                        .column("quartiles", Align.RIGHT)
                        .column(Figure.GIVEN_BACK.title(), Align.RIGHT)
                        .column("quartiles", Align.RIGHT)
                        .column(Figure.TIME.title(), Align.RIGHT);
        for (Measurement measurement : measurements) {
            for (MallocLibrary library : libraries) {
                Quartiles steady = Figure.STEADY.ratio(measurement, library);
                Quartiles givenBack = Figure.GIVEN_BACK.ratio(measurement, library);
                table.row(
                        measurement.workload().id(),
                        library.id(),
                        times(Figure.VALLEY.ratio(measurement, library).median()),
                        times(Figure.PEAK.ratio(measurement, library).median()),
                        times(steady.median()),
                        quartiles(steady),
                        times(givenBack.median()),
                        quartiles(givenBack),
                        times(Figure.TIME.ratio(measurement, library).median()));
                Contender listed = Contender.malloc(Kind.LISTED, library);
                if (measurement.has(listed)) {
                    table.row(
                            measurement.workload().id(),
                            listed.id(),
                            listed(measurement, listed, Figure.VALLEY),
                            listed(measurement, listed, Figure.PEAK),
                            "",
                            "",
                            "",
                            "",
                            listed(measurement, listed, Figure.TIME));
                }
            }
        }
        return table.text()
                + "Valley and peak: RSS, what it grew by since the base. Times of processors;"
                + " steady: both keep what\n"
                + "they had; given back: both give back what is free, in the valley and at the"
                + " end; left alone:\n"
                + "Polder does, malloc decides for itself. -listed: each block behind a header of"
                + " two words, as\n"
                + "published; the others without, addresses kept aside.\n";
    }

    private static String listed(Measurement measurement, Contender listed, Figure figure) {
        return times(measurement.ratio(listed, figure.polder(), figure.value()).median());
    }

    private static String quartiles(Quartiles ratio) {
        return fixed(2, ratio.lower()) + "-" + fixed(2, ratio.upper());
    }

    private static String raw(List<Measurement> measurements, Set<MallocLibrary> libraries) {
        Table table =
                new Table()
                        .column("medians", Align.LEFT)
                        .column("contender", Align.LEFT)
                        .column("load s", Align.RIGHT)
                        .column("free s", Align.RIGHT)
                        .column("cpu s", Align.RIGHT)
                        .column("base", Align.RIGHT)
                        .column("peak", Align.RIGHT)
                        .column("valley", Align.RIGHT)
                        .column("trimmed", Align.RIGHT)
                        .column("end", Align.RIGHT)
                        .column("cgroup", Align.RIGHT)
                        .column("maps", Align.RIGHT);
        for (Measurement measurement : measurements) {
            for (Contender contender : Contender.all(libraries)) {
                if (contender.kind() != Kind.STEADY && measurement.has(contender)) {
                    table.row(
                            measurement.workload().id(),
                            contender.id(),
                            fixed(3, measurement.median(contender, Recording::loadSeconds)),
                            fixed(3, measurement.median(contender, Recording::unloadSeconds)),
                            fixed(3, measurement.median(contender, Recording::cpuSeconds)),
                            rss(measurement, contender, Stage.BASE),
                            rss(measurement, contender, Stage.PEAK),
                            rss(measurement, contender, Stage.VALLEY),
                            rss(measurement, contender, Stage.TRIMMED),
                            rss(measurement, contender, Stage.END),
                            cgroup(measurement, contender),
                            fixed(0, measurement.max(contender, Recording::mapsAdded)));
                }
            }
        }
        return table.text()
                + "Base to end: RSS of the process in MiB. Trimmed: the valley after Polder was"
                + " trimmed and -asked was\n"
                + "told to give memory back, the others left alone. cgroup: growth of the control"
                + " group until then,\n"
                + "whatever else runs in it. Maps: most mappings beyond those at the base.\n";
    }

    private static String how(Scale scale, ClassCatalogue catalogue) {
        return String.format(
                        Locale.ROOT,
                        "Classes: drawn from %d class files of this JDK, on average %.1f KiB in"
                                + " %.0f blocks.\n",
                        catalogue.size(),
                        catalogue.meanBytes() / 1024,
                        catalogue.meanBlocks())
                + String.format(
                        Locale.ROOT,
                        "Each figure: %d fresh JVM%s, %.1f s of warm-up, %.1f s of waiting in the"
                                + " valley. Loaders: %s.\n",
                        scale.rounds(),
                        scale.rounds() == 1 ? "" : "s",
                        scale.warmup().toMillis() / 1000.0,
                        scale.settle().toMillis() / 1000.0,
                        scale.divisor() == 1 ? "all" : "one of " + scale.divisor());
    }

    private static String missing(Set<MallocLibrary> libraries) {
        List<String> missing = new ArrayList<>();
        for (MallocLibrary library : MallocLibrary.values()) {
            if (!libraries.contains(library)) {
                missing.add(library.id());
            }
        }
        return missing.isEmpty()
                ? ""
                : "\nNot installed, so not measured: "
                        + String.join(", ", missing)
                        + ". To install:\n"
                        + MallocLibrary.INSTALLING;
    }

    private static double committedOverUsed(Measurement measurement, Stage stage) {
        return measurement.median(
                Contender.POLDER, recording -> recording.committedOverUsed(stage));
    }

    private static String used(Measurement measurement, Stage stage) {
        return mebibytes(
                measurement.median(Contender.POLDER, recording -> recording.at(stage).usedBytes()));
    }

    private static String rss(Measurement measurement, Contender contender, Stage stage) {
        return mebibytes(
                measurement.median(contender, recording -> recording.at(stage).rssBytes()));
    }

    private static String cgroup(Measurement measurement, Contender contender) {
        return measurement.median(contender, recording -> recording.at(Stage.BASE).cgroupBytes())
                        < 0
                ? "-"
                : mebibytes(measurement.median(contender, ElasticityText::cgroupGrowth));
    }

    private static double cgroupGrowth(Recording recording) {
        return recording.at(Stage.TRIMMED).cgroupBytes() - recording.at(Stage.BASE).cgroupBytes();
    }

    private static String mebibytes(double bytes) {
        double mebibytes = bytes / MEBIBYTE;
        return fixed(mebibytes < 100 ? 1 : 0, mebibytes);
    }

    private static String times(double ratio) {
        return fixed(2, ratio) + "x";
    }

    private static String fixed(int digits, double value) {
        return String.format(Locale.ROOT, "%." + digits + "f", value);
    }
}
