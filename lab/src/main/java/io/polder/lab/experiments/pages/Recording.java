package io.polder.lab.experiments.pages;

import io.polder.lab.experiments.pages.Latencies.Group;
import io.polder.lab.experiments.pages.Outcome.Value;
import io.polder.lab.harness.Findings;
import io.polder.lab.harness.Sampler;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * A run of the program on a contender.
 *
 * @param findings {@value #BASE_MAPS}, {@link Point}s, latencies of each {@link Group}, each {@link
 *     Value} of the {@link Outcome}, and {@value #COLLECTIONS}
 */
record Recording(Findings findings) {
    /** Mappings of the process before the run. */
    private static final String BASE_MAPS = "base_maps";

    /** Collections of the JVM's own heap during the run. */
    private static final String COLLECTIONS = "collections";

    /** What is told before the first point. */
    static void writeBegin(Sampler sampler, long maps) {
        sampler.count(BASE_MAPS, maps);
    }

    /** What is told after the last point. */
    static void writeEnd(Sampler sampler, Outcome outcome, long collections) {
        for (Group group : Group.values()) {
            sampler.latencies(group.name(), outcome.latencies().of(group));
        }
        for (Value value : Value.values()) {
            sampler.count(value.name(), outcome.get(value));
        }
        sampler.count(COLLECTIONS, collections);
    }

    /** All points, in the order of time. */
    List<Point> points() {
        return findings.points(Point.class);
    }

    /** The last point. */
    Point end() {
        return points().getLast();
    }

    /** The largest of a number over all points. */
    long max(Point.Value value) {
        return points().stream().mapToLong(point -> point.get(value)).max().orElse(0);
    }

    /** Mappings beyond those before the run, at most. */
    double mapsAdded() {
        return Math.max(0, max(Point.Value.MAPS) - findings.sum(BASE_MAPS));
    }

    /** Memory of the source at most, for each byte of live objects at most. */
    double committedOverLive() {
        return (double) max(Point.Value.COMMITTED_BYTES) / max(Point.Value.LIVE_BYTES);
    }

    /** What the run came to. */
    Outcome outcome() {
        Latencies latencies = new Latencies();
        for (Group group : Group.values()) {
            latencies.of(group).add(findings.latencies(group.name()));
        }
        Map<Value, Long> values = new EnumMap<>(Value.class);
        for (Value value : Value.values()) {
            values.put(value, (long) findings.sum(value.name()));
        }
        return new Outcome(latencies, values);
    }

    /** Collections of the Java heap during the run. */
    double collections() {
        return findings.sum(COLLECTIONS);
    }
}
