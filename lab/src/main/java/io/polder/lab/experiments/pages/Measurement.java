package io.polder.lab.experiments.pages;

import io.polder.lab.experiments.pages.Recording.Figure;
import io.polder.lab.harness.Quartiles;

import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * What was measured of a contender.
 *
 * @param contender whose pages
 * @param recordings one a round
 */
record Measurement(Contender contender, List<Recording> recordings) {
    /** Copies the list. */
    Measurement {
        recordings = List.copyOf(recordings);
    }

    /** Whether it is of the library as it is. */
    boolean isPolder() {
        return contender == Contender.POLDER;
    }

    /** All takes of all rounds. */
    Latencies latencies() {
        Latencies latencies = new Latencies();
        recordings.forEach(recording -> latencies.add(recording.latencies()));
        return latencies;
    }

    /** The largest of a figure. */
    double max(ToDoubleFunction<Recording> figure) {
        return recordings.stream().mapToDouble(figure).max().orElseThrow();
    }

    /** The largest of a number at the end of a run. */
    double atEnd(Point.Value value) {
        return max(recording -> recording.atEnd(value));
    }

    /** The median of a figure. */
    double median(ToDoubleFunction<Recording> figure) {
        return Quartiles.of(recordings.stream().mapToDouble(figure).toArray()).median();
    }

    /** The median of a figure of runs. */
    double median(Figure figure) {
        return median(recording -> recording.get(figure));
    }

    /** The sum of a figure of runs. */
    double sum(Figure figure) {
        return recordings.stream().mapToDouble(recording -> recording.get(figure)).sum();
    }

    /** How often a thread that took a page had to assemble it, in the worst round. */
    double assembledOnAllocation() {
        return atEnd(Point.Value.ASSEMBLED_ON_ALLOCATION);
    }

    /** Takes refused although enough was free, in all rounds. */
    double refused() {
        return sum(Figure.REFUSED);
    }
}
