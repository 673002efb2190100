package io.polder.stress.soak;

import io.polder.stress.everywhere.Paint;

import java.lang.foreign.MemorySegment;

/**
 * A segment and what is written to all of it.
 *
 * @param segment memory
 * @param seed of what is written
 */
record Painted(MemorySegment segment, long seed) {
    /** Checks that every byte is zero, and writes to it. */
    static Painted ofZeros(MemorySegment segment, long seed) {
        Paint.requireZero(segment);
        return of(segment, seed);
    }

    /** Writes to every byte. */
    static Painted of(MemorySegment segment, long seed) {
        Paint.paint(segment, seed);
        return new Painted(segment, seed);
    }

    /**
     * Checks every byte.
     *
     * @throws AssertionError if something else is there
     */
    void check() {
        Paint.requirePainted(segment, seed);
    }
}
