package io.polder.lab.experiments.elasticity;

import io.polder.lab.harness.Quartiles;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * A workload with what was measured of it.
 *
 * @param workload as it was run
 * @param recordings of each contender, one a round, from the first round on
 */
record Measurement(Workload workload, Map<Contender, List<Recording>> recordings) {
    /** Copies the map. */
    Measurement {
        recordings = Map.copyOf(recordings);
    }

    /** Whether a contender was measured. */
    boolean has(Contender contender) {
        return recordings.containsKey(contender);
    }

    /**
     * What a contender did in the first round.
     *
     * @throws IllegalArgumentException if it was not measured
     */
    Recording first(Contender contender) {
        List<Recording> all = recordings.get(contender);
        if (all == null) {
            throw new IllegalArgumentException("no such contender: id=" + contender.id());
        }
        return all.getFirst();
    }

    /** A figure of a contender, median over the rounds. */
    double median(Contender contender, ToDoubleFunction<Recording> figure) {
        return Quartiles.of(figures(contender, figure)).median();
    }

    /** The largest of a figure of a contender. */
    double max(Contender contender, ToDoubleFunction<Recording> figure) {
        return Arrays.stream(figures(contender, figure)).max().orElseThrow();
    }

    /** How many times a contender's figure is another one's, round by round. */
    Quartiles ratio(Contender contender, Contender other, ToDoubleFunction<Recording> figure) {
        return Quartiles.ofRatios(figures(contender, figure), figures(other, figure));
    }

    private double[] figures(Contender contender, ToDoubleFunction<Recording> figure) {
        return recordings.getOrDefault(contender, List.of()).stream().mapToDouble(figure).toArray();
    }
}
