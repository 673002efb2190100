package io.polder.lab.experiments.blocks;

import io.polder.lab.experiments.blocks.MemoryJvm.Memory;
import io.polder.lab.harness.Findings;
import io.polder.lab.harness.MallocLibrary;
import io.polder.lab.harness.Quartiles;
import io.polder.lab.report.Goal;
import io.polder.lab.report.ReportSection;
import io.polder.tools.html.Bars;
import io.polder.tools.html.Bars.Bar;
import io.polder.tools.html.Bars.Spread;
import io.polder.tools.html.Chart;
import io.polder.tools.html.Chart.Caption;
import io.polder.tools.html.TimeLine;
import io.polder.tools.html.TimeLine.Line;
import io.polder.tools.html.TimeLine.Point;
import io.polder.tools.html.Tone;
import io.polder.tools.html.Unit;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.stream.Collectors;

/** What a page shows of the blocks experiment, and its goals. */
final class BlocksSection {
    private static final double SINGLE_NANOS_GOAL = 8;
    private static final double PEAK_GOAL = 1.10;
    private static final double METADATA_GOAL = 0.01;

    /** The profiler's own few objects, spread over all operations. */
    private static final double HEAP_GOAL = 0.5;

    /** What the JVM itself may add to the base. A guess. */
    private static final double NOISE_BYTES = 2 << 20;

    private BlocksSection() {}

    static ReportSection of(Results results) {
        String pair = Workload.withId(Workload.PAIR).with(1);
        String headline =
                "To free a small block and allocate another one, malloc takes this multiple of"
                        + " Polder’s time: "
                        + results.libraries().stream()
                                .map(
                                        library ->
                                                library.id()
                                                        + " "
                                                        + times(
                                                                results.timeRatio(library, pair)
                                                                        .median()))
                                .collect(Collectors.joining(", "))
                        + ".";
        return new ReportSection(headline, goals(results), charts(results));
    }

    /** By how much Polder is to be faster; nothing is asked of tcmalloc where a list is given. */
    private static OptionalDouble timeGoal(Workload workload, MallocLibrary library) {
        return switch (workload.id()) {
            case Workload.PAIR ->
                    library == MallocLibrary.TCMALLOC
                            ? OptionalDouble.empty()
                            : OptionalDouble.of(3);
            case Workload.LARSON -> OptionalDouble.of(2);
            case Workload.XMALLOC -> OptionalDouble.of(1.5);
            case Workload.LARGE -> OptionalDouble.of(1);
            default -> OptionalDouble.empty();
        };
    }

    private static List<Goal> goals(Results results) {
        List<Goal> goals = new ArrayList<>();
        for (Workload workload : Workload.ALL) {
            for (int threads : workload.threads()) {
                String with = workload.with(threads);
                for (MallocLibrary library : results.libraries()) {
                    timeGoal(workload, library)
                            .ifPresent(
                                    goal -> {
                                        double ratio = results.timeRatio(library, with).median();
                                        goals.add(
                                                new Goal(
                                                        with + ", " + library.id() + " / Polder",
                                                        ">= " + times(goal),
                                                        times(ratio),
                                                        ratio >= goal));
                                    });
                }
            }
        }
        double nanos = results.nanos(Contender.POLDER, BlocksMetrics.single());
        goals.add(
                new Goal(
                        "64 B allocated and freed in a loop",
                        "<= " + Unit.NANOS.format(SINGLE_NANOS_GOAL),
                        Unit.NANOS.format(nanos),
                        nanos <= SINGLE_NANOS_GOAL));
        for (String workload : List.of(Workload.PAIR, Workload.LARSON, Workload.XMALLOC)) {
            goals.add(
                    best(
                            workload + ", peak of RSS, Polder / the best",
                            PEAK_GOAL,
                            1 / results.leastPeakRatio(workload)));
        }
        goals.add(
                best(
                        "burst, RSS after " + Burst.COMPARED_SECOND + " s, Polder / the best",
                        1,
                        1
                                / results.libraries().stream()
                                        .mapToDouble(each -> results.idleRatio(each).median())
                                        .min()
                                        .orElseThrow()));
        double end = Results.median(results.burstGrowth(Contender.POLDER, Burst.END));
        goals.add(
                new Goal(
                        "burst, RSS over the base when all is free and trimmed",
                        "<= " + Unit.BYTES.format(NOISE_BYTES),
                        Unit.BYTES.format(end),
                        end <= NOISE_BYTES));
        double committed = results.finalCommittedBytes();
        goals.add(
                new Goal(
                        "committed when all is free and trimmed",
                        "0 B",
                        Unit.BYTES.format(committed),
                        committed == 0));
        double heap = results.heapBytesPerOperation();
        goals.add(
                new Goal(
                        "Java heap for an operation of pair",
                        "0 B",
                        Unit.BYTES.format(Math.floor(heap)),
                        heap < HEAP_GOAL));
        double metadata = results.metadata();
        goals.add(
                new Goal(
                        "Java heap / committed",
                        "<= 1 %",
                        String.format(Locale.ROOT, "%.2f %%", 100 * metadata),
                        metadata <= METADATA_GOAL));
        return goals;
    }

    private static Goal best(String what, double goal, double ratio) {
        return new Goal(what, "<= " + times(goal), times(ratio), ratio <= goal);
    }

    private static List<Chart> charts(Results results) {
        List<Chart> charts = new ArrayList<>();
        charts.add(burst(results));
        List<Bar> times = new ArrayList<>();
        for (Workload workload : Workload.ALL) {
            for (int threads : workload.threads()) {
                for (MallocLibrary library : results.libraries()) {
                    times.add(
                            bar(
                                    workload.with(threads),
                                    library,
                                    results.timeRatio(library, workload.with(threads)),
                                    timeGoal(workload, library)));
                }
            }
        }
        charts.add(bars("Time, malloc / Polder, the better call of each library", times));
        List<Bar> peaks = new ArrayList<>();
        for (String workload : BlocksMetrics.watched()) {
            for (MallocLibrary library : results.libraries()) {
                peaks.add(
                        bar(
                                workload,
                                library,
                                results.peakRatio(library, workload),
                                OptionalDouble.empty()));
            }
        }
        charts.add(bars("Resident memory at the peak, malloc / Polder", peaks));
        return charts;
    }

    private static Chart bars(String title, List<Bar> bars) {
        return new Bars(
                new Caption(title, "Right of 1× Polder needs less."),
                Bars.Scale.RATIO,
                Unit.TIMES,
                bars);
    }

    private static Bar bar(
            String label, MallocLibrary library, Quartiles ratio, OptionalDouble goal) {
        return new Bar(
                label,
                library.id(),
                tone(library),
                new Spread(ratio.lower(), ratio.median(), ratio.upper()),
                goal);
    }

    private static Chart burst(Results results) {
        List<Line> lines = new ArrayList<>();
        for (Contender contender : Contender.weighed(results.libraries()).reversed()) {
            Findings burst = results.firstBurst(contender);
            double base = burst.median(MemoryJvm.BASE);
            lines.add(
                    new Line(
                            contender.owner(),
                            tone(contender.library()),
                            burst.points(Memory.class).stream()
                                    .map(
                                            memory ->
                                                    new Point(
                                                            memory.seconds(),
                                                            Math.max(0, memory.rssBytes() - base)))
                                    .toList()));
        }
        return new TimeLine(
                new Caption(
                        "Resident memory in a burst",
                        "Traffic that grows, 95 % freed in random order, then nobody calls; at"
                                + " the end all is free. What the process gained."),
                "seconds",
                Unit.BYTES,
                lines,
                List.of());
    }

    private static Tone tone(@Nullable MallocLibrary library) {
        if (library == null) {
            return Tone.OURS;
        }
        return switch (library) {
            case GLIBC -> Tone.A;
            case JEMALLOC -> Tone.B;
            case MIMALLOC -> Tone.C;
            case TCMALLOC -> Tone.D;
        };
    }

    private static String times(double ratio) {
        return String.format(Locale.ROOT, "%.2f×", ratio);
    }
}
