package io.polder.lab.elasticity;

import io.polder.lab.elasticity.Contender.Kind;
import io.polder.lab.experiment.Quartiles;
import io.polder.lab.experiment.Table;
import io.polder.lab.experiment.Table.Align;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** What the elasticity experiment prints: Polder alone, Polder against malloc, and the raw data. */
final class ElasticityText {
    /** Mappings that the pool may add to the process. */
    static final long MAPS_GOAL = 16;

    private static final double MEBIBYTE = 1 << 20;

    private ElasticityText() {}

    /** The whole text. */
    static String of(
            List<Measurement> measurements,
            Set<MallocLibrary> libraries,
            Effort effort,
            ClassCatalogue catalogue) {
        return polder(measurements)
                + "\n"
                + ratios(measurements, libraries)
                + "\n"
                + raw(measurements, libraries)
                + "\n"
                + how(effort, catalogue)
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
                        .column("goal", Align.RIGHT)
                        .column("end B", Align.RIGHT)
                        .column("maps", Align.RIGHT)
                        .column("goals", Align.LEFT);
        for (Measurement measurement : measurements) {
            double goal = measurement.workload().valleyGoal();
            double valley = committedOverUsed(measurement, Stage.TRIMMED);
            double end = ElasticityMetrics.finalCommittedBytes(measurement);
            double maps = ElasticityMetrics.mapsMax(measurement);
            List<String> missed = new ArrayList<>();
            if (valley > goal) {
                missed.add("valley");
            }
            if (end > 0) {
                missed.add("end");
            }
            if (maps > MAPS_GOAL) {
                missed.add("maps");
            }
            table.row(
                    measurement.workload().id(),
                    used(measurement, Stage.PEAK),
                    fixed(3, committedOverUsed(measurement, Stage.PEAK)),
                    used(measurement, Stage.TRIMMED),
                    fixed(3, valley),
                    "<= " + fixed(2, goal),
                    fixed(0, end),
                    fixed(0, maps),
                    verdict(missed));
        }
        return table.text()
                + "Used is what owners asked for. Goals: 0 B at the end, at most "
                + MAPS_GOAL
                + " mappings added to the process.\n";
    }

    private static String ratios(List<Measurement> measurements, Set<MallocLibrary> libraries) {
        Table table =
                new Table().column("workload", Align.LEFT).column("malloc / Polder", Align.LEFT);
        Figure.ALL.forEach(figure -> table.column(figure.title(), Align.RIGHT));
        table.column("quartiles", Align.RIGHT)
                .column("wall", Align.RIGHT)
                .column("goals", Align.LEFT);
        for (Measurement measurement : measurements) {
            for (Contender malloc : Contender.all(libraries)) {
                boolean compared = malloc.kind() == Kind.IDEAL || malloc.kind() == Kind.LISTED;
                if (compared && measurement.has(malloc)) {
                    ratioRow(table, measurement, malloc);
                }
            }
        }
        return table.text() + goals();
    }

    private static void ratioRow(Table table, Measurement measurement, Contender malloc) {
        List<String> cells = new ArrayList<>();
        List<String> missed = new ArrayList<>();
        cells.add(measurement.workload().id());
        cells.add(malloc.id());
        for (Figure figure : Figure.ALL) {
            double ratio = measurement.ratio(malloc, figure.value()).median();
            cells.add(times(ratio));
            if (ratio < figure.goal(malloc)) {
                missed.add(figure.title());
            }
        }
        Quartiles time = measurement.ratio(malloc, Recording::cpuSeconds);
        cells.add(fixed(2, time.lower()) + "-" + fixed(2, time.upper()));
        cells.add(times(measurement.ratio(malloc, Recording::seconds).median()));
        cells.add(verdict(missed));
        table.row(cells.toArray(String[]::new));
    }

    private static String goals() {
        List<String> glibc = new ArrayList<>();
        for (Figure figure : Figure.ALL) {
            glibc.add(figure.title() + " " + times(figure.glibcGoal()));
        }
        return "Goals against glibc: "
                + String.join(", ", glibc)
                + "; against others 1x.\n"
                + "-listed: each block behind a header of two words, as published; the others"
                + " without, addresses kept\n"
                + "aside. Valley and peak: RSS, what it grew by since the base. Time: of"
                + " processors, to load, unload\n"
                + "and trim, with its quartiles; wall: the same by the clock.\n";
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
                if (measurement.has(contender)) {
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

    private static String how(Effort effort, ClassCatalogue catalogue) {
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
                        effort.rounds(),
                        effort.rounds() == 1 ? "" : "s",
                        effort.warmup().toMillis() / 1000.0,
                        effort.settle().toMillis() / 1000.0,
                        effort.divisor() == 1 ? "all" : "one of " + effort.divisor());
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

    private static String verdict(List<String> missed) {
        return missed.isEmpty() ? "reached" : "missed: " + String.join(", ", missed);
    }
}
