package io.polder.lab.experiments.replay;

import io.polder.lab.experiments.replay.Sample.Mark;
import io.polder.lab.harness.Findings;

import java.util.List;

/**
 * What a replay found.
 *
 * @param findings {@link Sample}s as points, and {@value #EVENT_NANOS}
 */
record ReplayResult(Findings findings) {
    /** Nanoseconds spent on events. */
    static final String EVENT_NANOS = "event_nanos";

    /** All samples, in the order in which they were taken. */
    List<Sample> samples() {
        return findings.points(Sample.class);
    }

    /** The sample at one of the moments that there is one of. */
    Sample at(Mark mark) {
        return samples().stream().filter(sample -> sample.mark() == mark).findFirst().orElseThrow();
    }

    /** How long it took to open, allocate and close. */
    double eventNanos() {
        return findings.sum(EVENT_NANOS);
    }
}
