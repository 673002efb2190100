package io.polder.lab.experiments.evacuation;

import java.lang.foreign.MemorySegment;

/** Keeps values under keys of its own making, none of which is zero. Used by one thread. */
interface ValueStore extends AutoCloseable {
    /** Keeps a copy of a value. */
    long put(MemorySegment value);

    /** Copies the beginning of a value, as much as there is room for. */
    void read(long key, MemorySegment into);

    /** Writes over the beginning of a value. */
    void update(long key, MemorySegment from);

    /** Forgets a value. */
    void free(long key);

    /** What it knows of itself. */
    State state();

    @Override
    void close();

    /**
     * What a store knows of itself; {@link ShiftPoint#UNKNOWN} where it does not.
     *
     * @param regionBytes what its regions take up
     * @param tableBytes what its handles take up
     * @param cycles of compaction so far
     * @param evacuatedBytes copied by them
     * @param longestWaitNanos that a read or an update waited for a copy
     * @param waitsForAnotherCopy how often an update waited for one that another thread made
     */
    record State(
            long regionBytes,
            long tableBytes,
            long cycles,
            long evacuatedBytes,
            long longestWaitNanos,
            long waitsForAnotherCopy) {
        /** Of a store that knows nothing. */
        static final State UNKNOWN =
                new State(
                        ShiftPoint.UNKNOWN,
                        ShiftPoint.UNKNOWN,
                        ShiftPoint.UNKNOWN,
                        ShiftPoint.UNKNOWN,
                        ShiftPoint.UNKNOWN,
                        ShiftPoint.UNKNOWN);
    }
}
