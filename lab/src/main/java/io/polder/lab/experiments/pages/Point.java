package io.polder.lab.experiments.pages;

import io.polder.lab.harness.Numbers;

import java.util.List;
import java.util.Map;

/**
 * What a heap and its source of pages have at one moment, and did so far.
 *
 * @param values one for each {@link Value}
 */
record Point(Map<Value, Long> values) {
    /** The numbers of a point. */
    enum Value {
        /** Since the start. */
        NANOS("ns"),
        /** How often the medium objects were filled up, times {@link WorkloadRun#PARTS}. */
        PART("part"),
        /** What pages of small objects take up. */
        SMALL_BYTES("small"),
        /** What pages of medium objects take up. */
        MEDIUM_BYTES("medium"),
        /** Of the budget, what no page takes up. */
        ROOM_BYTES("room"),
        /** What live objects take up. */
        LIVE_BYTES("live"),
        /** Memory of the source. */
        COMMITTED_BYTES("committed"),
        /** Free memory of the source. */
        FREE_BYTES("free"),
        /** In runs of 32 MiB and more. */
        READY_BYTES("ready"),
        /** Assembled by the thread that took a page. */
        ASSEMBLED_ON_ALLOCATION("assembled_on_allocation"),
        /** Assembled by others. */
        ASSEMBLED_AHEAD("assembled_ahead"),
        /** Moved for both. */
        MOVED_BYTES("moved"),
        /** Pages taken of 2 MiB. */
        TAKES_2M("takes_2m"),
        /** Of 4 MiB. */
        TAKES_4M("takes_4m"),
        /** Of 8 MiB. */
        TAKES_8M("takes_8m"),
        /** Of 16 MiB. */
        TAKES_16M("takes_16m"),
        /** Of 32 MiB. */
        TAKES_32M("takes_32m"),
        /** Pages refused although there was room. */
        REFUSED("refused"),
        /** How often the mutator waited for the collector. */
        WAITS("waits"),
        /** Mappings of the process. */
        MAPS("maps");

        private final String id;

        Value(String id) {
            this.id = id;
        }

        /** As files of points have it. */
        String id() {
            return id;
        }
    }

    /**
     * Copies the values.
     *
     * @throws IllegalArgumentException if there is not one for each {@link Value}
     */
    Point {
        values = Numbers.complete(Value.class, values);
    }

    /** One of the numbers. */
    long get(Value value) {
        return Numbers.get(values, value);
    }

    /** One of the numbers in words. */
    String text(Value value) {
        return Long.toString(get(value));
    }

    /** The numbers, in the order of {@link Value}. */
    List<Long> numbers() {
        return List.copyOf(values.values());
    }
}
