package io.polder;

import io.polder.heap.RelocatingHeap;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** The examples of the heap's Javadoc, compiled. */
final class HeapSnippets {
    private HeapSnippets() {}

    static long heap() {
        // @start region="heap"
        try (RelocatingHeap heap = MemoryPool.common().openHeap()) {
            long greeting = heap.allocate(MemorySegment.ofArray(new byte[] {1, 2, 3}));
            long counter = heap.allocate(8); // zeros

            heap.update(counter, object -> object.set(ValueLayout.JAVA_LONG, 0, 42));
            long answer = heap.read(counter, object -> object.get(ValueLayout.JAVA_LONG, 0));

            heap.free(greeting); // from now on its handle is refused
            return answer;
        }
        // @end
    }
}
