package io.polder.lab.experiments.replay;

import io.polder.lab.experiments.replay.Sample.Mark;
import io.polder.lab.report.Metric;
import io.polder.lab.report.Metric.Better;

import java.util.List;

/** The metrics of a replay, under the names that other programs rely on. */
final class ReplayMetrics {
    private static final String PEAK = "replay.peak_committed_over_used";
    private static final String VALLEY = "replay.valley_committed_over_used";
    private static final String FINAL = "replay.final_committed_bytes";
    private static final String RATE = "replay.allocations_per_second";

    /** All names, in order. */
    static final List<String> NAMES = List.of(PEAK, VALLEY, FINAL, RATE);

    private ReplayMetrics() {}

    static List<Metric> of(Survey survey, ReplayResult result) {
        return List.of(
                new Metric(PEAK, result.at(Mark.PEAK).ratio(), Metric.TIMES, Better.LOWER),
                new Metric(VALLEY, result.at(Mark.VALLEY).ratio(), Metric.TIMES, Better.LOWER),
                new Metric(FINAL, result.at(Mark.CLOSED).committedBytes(), "bytes", Better.LOWER),
                new Metric(RATE, allocationsPerSecond(survey, result), "1/s", Better.HIGHER));
    }

    /** Requests, by the time that they took together with opening and closing their arenas. */
    static double allocationsPerSecond(Survey survey, ReplayResult result) {
        return survey.requests() * 1e9 / Math.max(1, result.eventNanos());
    }
}
