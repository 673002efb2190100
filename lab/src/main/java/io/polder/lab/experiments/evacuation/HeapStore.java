package io.polder.lab.experiments.evacuation;

import io.polder.MemoryPool;
import io.polder.heap.HeapStatistics;
import io.polder.heap.RelocatingHeap;

import java.lang.foreign.MemorySegment;

/** Values in a heap of the library, in a pool of its own, as a program would open them. */
final class HeapStore implements ValueStore {
    private final MemoryPool pool = MemoryPool.builder().name("polder-lab").build();
    private final RelocatingHeap heap = pool.openHeap();

    @Override
    public long put(MemorySegment value) {
        return heap.allocate(value);
    }

    @Override
    public void read(long key, MemorySegment into) {
        heap.get(key, into);
    }

    @Override
    public void update(long key, MemorySegment from) {
        heap.put(key, 0, from);
    }

    @Override
    public void free(long key) {
        heap.free(key);
    }

    @Override
    public State state() {
        HeapStatistics statistics = heap.stats();
        return new State(
                statistics.regionBytes(),
                statistics.tableBytes(),
                statistics.cycles(),
                statistics.evacuatedBytes(),
                statistics.longestWaitNanos(),
                statistics.waitsForAnotherCopy());
    }

    @Override
    public void close() {
        heap.close();
        pool.close();
    }
}
