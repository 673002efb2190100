package io.polder.lab.experiments.blocks;

import io.polder.lab.experiments.blocks.MemoryJvm.Memory;
import io.polder.lab.experiments.blocks.Workload.Timed;
import io.polder.lab.harness.Findings;
import io.polder.lab.harness.MallocLibrary;
import io.polder.lab.harness.Quartiles;
import io.polder.lab.report.Charts;
import io.polder.lab.report.Format;
import io.polder.lab.report.Goal;
import io.polder.lab.report.ReportSection;
import io.polder.tools.html.Bars.Bar;
import io.polder.tools.html.Chart;
import io.polder.tools.html.Chart.Caption;
import io.polder.tools.html.Term;
import io.polder.tools.html.TimeLine;
import io.polder.tools.html.TimeLine.Line;
import io.polder.tools.html.Tone;
import io.polder.tools.html.Unit;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.function.DoubleFunction;
import java.util.function.Function;
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

    private static final Term POLDER = new Term("polder", "Blocks of a pool.");
    private static final Term BURST =
            new Term(Burst.ID, "Traffic that grows, of which 95 % are freed in random order.");

    private static final DoubleFunction<String> TIMES = Charts::times2;

    private BlocksSection() {}

    static ReportSection of(Results results) {
        String pair = Workload.withId(Workload.PAIR).with(1);
        String ratios =
                results.libraries().stream()
                        .map(each -> each.id() + " " + median(results.timeRatio(each, pair)))
                        .collect(Collectors.joining(", "));
        String headline =
                "To free a small block and allocate another one, malloc takes this multiple of"
                        + " Polder’s time: "
                        + ratios
                        + ".";
        return new ReportSection(headline, goals(results), charts(results));
    }

    private static String median(Quartiles ratio) {
        return TIMES.apply(ratio.median());
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
        for (Timed timed : Workload.TIMED) {
            for (MallocLibrary library : results.libraries()) {
                String what = timed.id() + ", " + library.id() + " / Polder";
                double ratio = results.timeRatio(library, timed.id()).median();
                timeGoal(timed.workload(), library)
                        .ifPresent(goal -> goals.add(Goal.atLeast(what, goal, ratio, TIMES)));
            }
        }
        goals.add(
                Goal.atMost(
                        "64 B allocated and freed in a loop",
                        SINGLE_NANOS_GOAL,
                        results.nanos(Contender.POLDER, BlocksMetrics.single()),
                        Unit.NANOS::format));
        for (String workload : List.of(Workload.PAIR, Workload.LARSON, Workload.XMALLOC)) {
            goals.add(
                    Goal.atMost(
                            workload + ", peak of RSS, Polder / the best",
                            PEAK_GOAL,
                            overBest(results, each -> results.peakRatio(each, workload)),
                            TIMES));
        }
        goals.add(
                Goal.atMost(
                        "burst, RSS after " + Burst.COMPARED_SECOND + " s, Polder / the best",
                        1,
                        overBest(results, results::idleRatio),
                        TIMES));
        goals.add(
                Goal.atMost(
                        "burst, RSS over the base when all is free and trimmed",
                        NOISE_BYTES,
                        Results.median(results.burstGrowth(Contender.POLDER, Burst.END)),
                        Unit.BYTES::format));
        goals.add(
                Goal.zero(
                        "committed when all is free and trimmed",
                        results.finalCommittedBytes(),
                        Unit.BYTES::format));
        double heap = results.heapBytesPerOperation();
        String whole = Unit.BYTES.format(Math.floor(heap));
        goals.add(new Goal("Java heap for an operation of pair", "0 B", whole, heap < HEAP_GOAL));
        double metadata = results.metadata();
        String percent = Format.text("%.2f %%", 100 * metadata);
        goals.add(new Goal("Java heap / committed", "<= 1 %", percent, metadata <= METADATA_GOAL));
        return goals;
    }

    /** Polder against the best of all libraries, where ratios are theirs / ours. */
    private static double overBest(Results results, Function<MallocLibrary, Quartiles> ratio) {
        return 1
                / results.libraries().stream()
                        .mapToDouble(library -> ratio.apply(library).median())
                        .min()
                        .orElseThrow();
    }

    private static List<Chart> charts(Results results) {
        List<Bar> times = new ArrayList<>();
        for (Timed timed : Workload.TIMED) {
            for (MallocLibrary library : results.libraries()) {
                times.add(
                        Charts.bar(
                                timed.term(),
                                Charts.term(library),
                                Charts.tone(library),
                                results.timeRatio(library, timed.id()),
                                timeGoal(timed.workload(), library)));
            }
        }
        List<Bar> peaks = new ArrayList<>();
        for (String workload : BlocksMetrics.watched()) {
            for (MallocLibrary library : results.libraries()) {
                peaks.add(
                        Charts.bar(
                                workload.equals(Burst.ID)
                                        ? BURST
                                        : Workload.withId(workload).term(),
                                Charts.term(library),
                                Charts.tone(library),
                                results.peakRatio(library, workload)));
            }
        }
        return List.of(
                burst(results),
                Charts.ratios("Time, malloc / Polder, the better call of each library", times),
                Charts.ratios("Resident memory at the peak, malloc / Polder", peaks));
    }

    private static Chart burst(Results results) {
        List<Line> lines = new ArrayList<>();
        for (Contender contender : Contender.weighed(results.libraries()).reversed()) {
            MallocLibrary library = contender.library();
            Findings burst = results.firstBurst(contender);
            double base = burst.median(MemoryJvm.BASE);
            lines.add(
                    Charts.line(
                            library == null ? POLDER : Charts.term(library),
                            library == null ? Tone.OURS : Charts.tone(library),
                            burst.points(Memory.class),
                            Memory::seconds,
                            memory -> Math.max(0, memory.rssBytes() - base)));
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
}
