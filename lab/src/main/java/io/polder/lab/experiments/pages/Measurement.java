package io.polder.lab.experiments.pages;

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

    /** All takes of all rounds. */
    Latencies latencies() {
        Latencies latencies = new Latencies();
        recordings.forEach(recording -> latencies.add(recording.outcome().latencies()));
        return latencies;
    }

    /** The largest of a figure. */
    double max(ToDoubleFunction<Recording> figure) {
        return recordings.stream().mapToDouble(figure).max().orElseThrow();
    }

    /** The median of a figure. */
    double median(ToDoubleFunction<Recording> figure) {
        return Quartiles.of(recordings.stream().mapToDouble(figure).toArray()).median();
    }

    /** The sum of a figure. */
    double sum(ToDoubleFunction<Recording> figure) {
        return recordings.stream().mapToDouble(figure).sum();
    }
}
