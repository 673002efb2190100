package io.polder.lab.experiments.evacuation;

import io.polder.lab.harness.Malloc;
import io.polder.memory.Zeroing;

import java.lang.foreign.MemorySegment;

/** Values in blocks of their own. */
final class MallocStore implements ValueStore {
    private static final MemorySegment ALL = Zeroing.ADDRESS_SPACE;

    @Override
    public long put(MemorySegment value) {
        long address = Malloc.malloc(value.byteSize());
        MemorySegment.copy(value, 0, ALL, address, value.byteSize());
        return address;
    }

    @Override
    public void read(long key, MemorySegment into) {
        MemorySegment.copy(ALL, key, into, 0, into.byteSize());
    }

    @Override
    public void update(long key, MemorySegment from) {
        MemorySegment.copy(from, 0, ALL, key, from.byteSize());
    }

    @Override
    public void free(long key) {
        Malloc.free(key);
    }

    @Override
    public State state() {
        return State.UNKNOWN;
    }

    @Override
    public void close() {
        // The workload has freed its values.
    }
}
