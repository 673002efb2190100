package io.polder.lab.experiments.pages;

import io.polder.lab.experiments.pages.Latencies.Group;
import io.polder.lab.harness.Findings;
import io.polder.lab.harness.Sampler;

import java.util.List;

/**
 * A run of the program on a contender.
 *
 * @param findings {@link Point}s, latencies of each {@link Group}, and each {@link Figure}
 */
record Recording(Findings findings) {
    /** A number of a run. */
    enum Figure {
        /** Mappings of the process before it. */
        BASE_MAPS,
        /** Of the program, on the clock. */
        WALL_NANOS,
        /** How often the mutator waited for the collector, memory being used up. */
        WAITS,
        /** How long, together. */
        WAIT_NANOS,
        /** How long at most. */
        WAIT_NANOS_MAX,
        /** Pages refused although there was room. */
        REFUSED,
        /** How often the collector went through the heap. */
        CYCLES,
        /** How many objects it moved. */
        MOVED_OBJECTS,
        /** Writing small objects, for each 2 MiB, with the first touch of their memory. */
        WRITE_SMALL_NANOS,
        /** The same for writing medium objects. */
        WRITE_MEDIUM_NANOS,
        /** Collections of the JVM's own heap. */
        COLLECTIONS;

        /** Tells the number. */
        void write(Sampler sampler, long value) {
            sampler.count(name(), value);
        }
    }

    /** All points, in the order of time. */
    List<Point> points() {
        return findings.points(Point.class);
    }

    /** A number of the last point. */
    long atEnd(Point.Value value) {
        return points().getLast().get(value);
    }

    /** The largest of a number over all points. */
    long max(Point.Value value) {
        return points().stream().mapToLong(point -> point.get(value)).max().orElse(0);
    }

    /** A number of the run. */
    double get(Figure figure) {
        return findings.sum(figure.name());
    }

    /** Mappings beyond those before the run, at most. */
    double mapsAdded() {
        return Math.max(0, max(Point.Value.MAPS) - get(Figure.BASE_MAPS));
    }

    /** Memory of the source at most, for each byte of live objects at most. */
    double committedOverLive() {
        return (double) max(Point.Value.COMMITTED_BYTES) / max(Point.Value.LIVE_BYTES);
    }

    /** All takes. */
    Latencies latencies() {
        Latencies latencies = new Latencies();
        for (Group group : Group.values()) {
            latencies.of(group).add(findings.latencies(group.name()));
        }
        return latencies;
    }
}
