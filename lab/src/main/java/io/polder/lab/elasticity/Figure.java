package io.polder.lab.elasticity;

import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * A figure in which contenders are compared with Polder: less is better, a ratio is theirs / ours.
 *
 * <p>Time is that of processors, of the threads that load and unload. On an idle machine it is the
 * time on the clock of a workload with one thread; on a busy one it is still what the work costs.
 *
 * @param metric name of the ratio
 * @param title of the ratio in the table
 * @param chartTitle of the ratio on a page
 * @param glibcGoal ratio to be reached against the C library's malloc
 * @param value of a contender in one JVM
 */
record Figure(
        String metric,
        String title,
        String chartTitle,
        double glibcGoal,
        ToDoubleFunction<Recording> value) {
    /** Never behind one of the other libraries. */
    private static final double OTHERS_GOAL = 1;

    /** All figures, in the order of the table and of the metrics. */
    static final List<Figure> ALL =
            List.of(
                    new Figure(
                            "valley_rss_ratio",
                            "valley",
                            "Resident memory in the valley, malloc / Polder",
                            2.5,
                            recording -> recording.rssGrowth(Stage.TRIMMED)),
                    new Figure(
                            "peak_rss_ratio",
                            "peak",
                            "Resident memory at the peak, malloc / Polder",
                            1.15,
                            recording -> recording.rssGrowth(Stage.PEAK)),
                    new Figure(
                            "time_ratio",
                            "time",
                            "Time of processors to load, free and trim, malloc / Polder",
                            1.5,
                            Recording::cpuSeconds));

    /** Ratio to be reached against a contender. */
    double goal(Contender contender) {
        return contender.library() == MallocLibrary.GLIBC ? glibcGoal : OTHERS_GOAL;
    }
}
