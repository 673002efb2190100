package io.polder.lab.confined;

import io.polder.lab.experiment.Quartiles;

/**
 * A workload with what was measured of it.
 *
 * @param workload what was done
 * @param samples complete
 */
record Measurement(Workload workload, Samples samples) {
    /** Time of one operation, in nanoseconds. */
    Quartiles nanos(Contender contender) {
        return Quartiles.of(samples.nanos(contender));
    }

    /** How many times the contender's time is Polder's, round by round. */
    Quartiles ratio(Contender contender) {
        return Quartiles.ofRatios(samples.nanos(contender), samples.nanos(Contender.POLDER));
    }
}
