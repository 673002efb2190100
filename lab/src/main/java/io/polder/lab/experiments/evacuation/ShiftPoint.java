package io.polder.lab.experiments.evacuation;

import io.polder.lab.harness.Numbers;
import io.polder.lab.report.Format;
import io.polder.lab.report.RawData;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * What values and their memory come to at one moment of the size-shift workload.
 *
 * @param phase that is running, or that has ended
 * @param moment of the phase
 * @param values one for each {@link Value}; in files, what a contender does not know is {@value
 *     #UNKNOWN}
 */
record ShiftPoint(ShiftPhase phase, Moment moment, Map<Value, Long> values) {
    /** Stands for a number that nobody knows. */
    static final long UNKNOWN = -1;

    /** Before the first value is written. */
    static final ShiftPoint NOTHING =
            new ShiftPoint(
                    ShiftPhase.A,
                    Moment.DURING,
                    Arrays.stream(Value.values())
                            .collect(Collectors.toMap(Function.identity(), _ -> 0L)));

    /** Where in a phase. */
    enum Moment {
        /** Values are being written, or the rest after it is going on. */
        DURING,
        /** The last value was written or deleted. */
        END,
        /** Some seconds later, in which nobody did anything. */
        RESTED
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
        MAPS
    }

    /**
     * Copies the values.
     *
     * @throws IllegalArgumentException if there is not one for each {@link Value}
     */
    ShiftPoint {
        values = Numbers.complete(Value.class, values);
    }

    /** One of the numbers. */
    long get(Value value) {
        return Numbers.get(values, value);
    }

    /** Living bytes for each byte of memory; memory that shrank below its base counts as one. */
    double liveOverRss() {
        return (double) get(Value.LIVE_BYTES) / Math.max(1, get(Value.RSS_BYTES));
    }

    /** Points for other programs: each with its phase, its moment and all numbers. */
    static RawData rawData(List<ShiftPoint> points) {
        List<String> names = new ArrayList<>(List.of("phase", "moment"));
        Arrays.stream(Value.values()).map(Format::id).forEach(names::add);
        RawData data = new RawData(names);
        for (ShiftPoint point : points) {
            List<Object> row = new ArrayList<>(List.of(point.phase.id(), Format.id(point.moment)));
            row.addAll(point.values.values());
            data.row(row);
        }
        return data;
    }
}
