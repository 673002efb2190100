package io.polder.lab.experiments.pages;

import java.util.Map;

/**
 * What a run of the program came to.
 *
 * @param latencies of all takes
 * @param values everything else
 */
record Outcome(Latencies latencies, Map<Value, Long> values) {
    /** A number of a run. */
    enum Value {
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
        /** Writing medium objects, likewise. */
        WRITE_MEDIUM_NANOS
    }

    /**
     * Copies the map.
     *
     * @throws IllegalArgumentException if there is not one for each {@link Value}
     */
    Outcome {
        values = Map.copyOf(values);
        if (values.size() != Value.values().length) {
            throw new IllegalArgumentException("an outcome has all values: values=" + values);
        }
    }

    /** One of the numbers. */
    long get(Value value) {
        Long number = values.get(value);
        if (number == null) {
            throw new IllegalArgumentException("an outcome has all values: value=" + value);
        }
        return number;
    }
}
