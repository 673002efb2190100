package io.polder.lab.experiments.elasticity;

import io.polder.lab.experiments.elasticity.Contender.Kind;
import io.polder.lab.harness.MallocLibrary;
import io.polder.lab.harness.Quartiles;

import java.util.List;
import java.util.OptionalDouble;
import java.util.function.ToDoubleFunction;

/**
 * A figure in which malloc is compared with Polder: less is better, a ratio is theirs / ours.
 *
 * <p>Time is that of processors, of the threads that load and unload. On an idle machine it is the
 * time on the clock of a workload with one thread; on a busy one it is still what the work costs.
 * Like is compared with like: both give back what is free, or neither does.
 *
 * @param metric name of the ratio
 * @param title of the ratio in the table
 * @param chartTitle of the ratio on a page
 * @param kind of malloc, which decides what Polder does, too
 * @param goals to be reached, if there are any
 * @param value of a contender in one JVM
 */
record Figure(
        String metric,
        String title,
        String chartTitle,
        Kind kind,
        Goals goals,
        ToDoubleFunction<Recording> value) {
    /** Resident memory when one generation is left. */
    static final Figure VALLEY =
            new Figure(
                    "valley_rss_ratio",
                    "valley",
                    "Resident memory in the valley, malloc / Polder",
                    Kind.IDEAL,
                    Goals.of(2.5, 1),
                    recording -> recording.rssGrowth(Stage.TRIMMED));

    /** Resident memory when all generations live. */
    static final Figure PEAK =
            new Figure(
                    "peak_rss_ratio",
                    "peak",
                    "Resident memory at the peak, malloc / Polder",
                    Kind.IDEAL,
                    Goals.of(1.15, 1),
                    recording -> recording.rssGrowth(Stage.PEAK));

    /** Polder is trimmed, malloc is left alone: no goal, since they do not do the same. */
    static final Figure TIME =
            new Figure(
                    "time_ratio",
                    "left alone",
                    "Time, malloc left alone / Polder that gives memory back",
                    Kind.IDEAL,
                    Goals.NONE,
                    Recording::cpuSeconds);

    /** Neither gives anything back. */
    static final Figure STEADY =
            new Figure(
                    "steady_time_ratio",
                    "steady",
                    "Time in a steady state, malloc / Polder, both keep what they have",
                    Kind.STEADY,
                    Goals.of(1.5, 1.2),
                    Recording::steadySeconds);

    /** Both give back what is free in the valley and at the end. */
    static final Figure GIVEN_BACK =
            new Figure(
                    "given_back_time_ratio",
                    "given back",
                    "Time, malloc / Polder, both give back what is free",
                    Kind.ASKED,
                    Goals.of(1, 1),
                    Recording::cpuSeconds);

    /** All figures, in the order of the metrics. */
    static final List<Figure> ALL = List.of(VALLEY, PEAK, TIME, STEADY, GIVEN_BACK);

    /**
     * Ratios to be reached.
     *
     * @param glibc against the C library's malloc
     * @param others against each of the other libraries
     */
    record Goals(OptionalDouble glibc, OptionalDouble others) {
        private static final Goals NONE = new Goals(OptionalDouble.empty(), OptionalDouble.empty());

        private static Goals of(double glibc, double others) {
            return new Goals(OptionalDouble.of(glibc), OptionalDouble.of(others));
        }
    }

    /** Ratio to be reached against a library, if there is one. */
    OptionalDouble goal(MallocLibrary library) {
        return library == MallocLibrary.GLIBC ? goals.glibc : goals.others;
    }

    /** Malloc of a library, as it is compared here. */
    Contender malloc(MallocLibrary library) {
        return Contender.malloc(kind, library);
    }

    /** Polder, as it is compared here. */
    Contender polder() {
        return kind == Kind.STEADY ? Contender.STEADY_POLDER : Contender.POLDER;
    }

    /** How many times malloc's figure is Polder's, round by round. */
    Quartiles ratio(Measurement measurement, MallocLibrary library) {
        return measurement.ratio(malloc(library), polder(), value);
    }
}
