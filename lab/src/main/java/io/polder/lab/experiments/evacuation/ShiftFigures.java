package io.polder.lab.experiments.evacuation;

import io.polder.lab.experiments.evacuation.ShiftPoint.Moment;
import io.polder.lab.experiments.evacuation.ShiftPoint.Value;
import io.polder.lab.harness.Findings;

import java.util.stream.Stream;

/**
 * Figures of the size-shift workload on one contender.
 *
 * @param findings of one JVM
 */
record ShiftFigures(Findings findings) {
    /** The point at the end of a phase, or after its rest. */
    ShiftPoint point(ShiftPhase phase, Moment moment) {
        return findings.points(ShiftPoint.class).stream()
                .filter(point -> point.phase() == phase && point.moment() == moment)
                .findFirst()
                .orElseThrow(
                        () ->
                                new IllegalArgumentException(
                                        "each phase has its points: phase="
                                                + phase
                                                + ", moment="
                                                + moment));
    }

    /** Living bytes for each byte of memory after a phase and its rest. */
    double liveOverRss(ShiftPhase phase) {
        return point(phase, Moment.RESTED).liveOverRss();
    }

    /** The least of these over the phases whose values are not tiny. */
    double liveOverRss() {
        return Stream.of(ShiftPhase.A, ShiftPhase.B, ShiftPhase.C)
                .mapToDouble(this::liveOverRss)
                .min()
                .orElseThrow();
    }

    /** Memory for each living byte when most was deleted. */
    double rssOverLiveDeleted95() {
        ShiftPoint point = point(ShiftPhase.DELETED95, Moment.RESTED);
        return (double) Math.max(0, point.get(Value.RSS_BYTES)) / point.get(Value.LIVE_BYTES);
    }

    /** Memory when all was deleted. */
    double rssDeletedAllBytes() {
        return Math.max(0, point(ShiftPhase.DELETED_ALL, Moment.RESTED).get(Value.RSS_BYTES));
    }
}
