package io.polder.lab.experiments.evacuation;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What values and their memory come to at one moment of the size-shift workload.
 *
 * @param phase that is running, or that has ended
 * @param moment of the phase
 * @param values one for each {@link Value}
 */
record ShiftPoint(ShiftPhase phase, Moment moment, Map<Value, Long> values) {
    /** Stands for a number that nobody knows. */
    static final long UNKNOWN = -1;

    /** Where in a phase. */
    enum Moment {
        /** Values are being written, or the rest after it is going on. */
        DURING,
        /** The last value was written or deleted. */
        END,
        /** Some seconds later, in which nobody did anything. */
        RESTED;

        /** In files. */
        String id() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** The numbers of a point. */
    enum Value {
        /** Since the start. */
        NANOS,
        /** Living values. */
        LIVING,
        /** Their bytes, as they were written and can be read. */
        LIVE_BYTES,
        /** What the resident set of the process grew by. */
        RSS_BYTES,
        /** What the contender's regions take up, if it has any. */
        REGION_BYTES,
        /** What its handles take up. */
        TABLE_BYTES,
        /** Cycles of compaction so far. */
        CYCLES,
        /** What they copied. */
        EVACUATED_BYTES,
        /** Processor time of compaction and of whatever else the contender does by itself. */
        BACKGROUND_NANOS,
        /** Mappings of the process. */
        MAPS;

        /** In files. */
        String id() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * Copies the values.
     *
     * @throws IllegalArgumentException if there is not one for each {@link Value}
     */
    ShiftPoint {
        values = Map.copyOf(values);
        if (values.size() != Value.values().length) {
            throw new IllegalArgumentException("a point has all values: values=" + values);
        }
    }

    /** One of the numbers. */
    long get(Value value) {
        Long number = values.get(value);
        if (number == null) {
            throw new IllegalArgumentException("a point has all values: value=" + value);
        }
        return number;
    }

    /** Living bytes for each byte of memory; memory that shrank below its base counts as one. */
    double liveOverRss() {
        return (double) get(Value.LIVE_BYTES) / Math.max(1, get(Value.RSS_BYTES));
    }

    /** The numbers, in the order of {@link Value}. */
    List<Long> numbers() {
        return Arrays.stream(Value.values()).map(this::get).toList();
    }
}
