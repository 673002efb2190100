package io.polder.lab.experiments.pages;

import io.polder.lab.experiments.pages.Latencies.Group;
import io.polder.lab.experiments.pages.Recording.Figure;
import io.polder.lab.harness.Findings;

import java.util.EnumMap;
import java.util.Map;

/** Recordings that are made up. */
final class Recordings {
    private Recordings() {}

    /** A point with one number everywhere but for those given. */
    static Point point(long everywhere, Map<Point.Value, Long> others) {
        Map<Point.Value, Long> values = new EnumMap<>(Point.Value.class);
        for (Point.Value value : Point.Value.values()) {
            values.put(value, others.getOrDefault(value, everywhere));
        }
        return new Point(values);
    }

    /** A run with two points and three takes, of 1, 2 and 3 us times a factor, where a control
     * took 2 us. */
    static Recording recording(long factor) {
        Findings findings = new Findings();
        findings.point(
                point(
                        factor,
                        Map.of(
                                Point.Value.PART,
                                8L,
                                Point.Value.MAPS,
                                100 + 10 * factor,
                                Point.Value.COMMITTED_BYTES,
                                300L,
                                Point.Value.LIVE_BYTES,
                                100L)));
        findings.point(
                point(
                        2 * factor,
                        Map.of(
                                Point.Value.PART,
                                16L,
                                Point.Value.MAPS,
                                90L,
                                Point.Value.COMMITTED_BYTES,
                                200L,
                                Point.Value.LIVE_BYTES,
                                200L)));
        Latencies latencies = new Latencies();
        latencies.record(Group.MUTATOR_SMALL, 1000 * factor, true);
        latencies.record(Group.MUTATOR_MEDIUM, 2000 * factor, false);
        latencies.record(Group.COLLECTOR_SMALL, 3000 * factor, true);
        latencies.recordControl(2000 * factor);
        latencies.write(findings);
        for (Figure figure : Figure.values()) {
            figure.write(
                    findings,
                    switch (figure) {
                        case BASE_MAPS -> 100;
                        case COLLECTIONS -> 0;
                        default -> factor;
                    });
        }
        return new Recording(findings);
    }
}
