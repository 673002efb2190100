package io.polder;

import io.polder.heap.EvacuationFailurePolicy;
import io.polder.heap.HeapOptions;
import io.polder.heap.RelocatingHeap;

import java.lang.foreign.ValueLayout;

/** The main class of a JVM that has the library on its class path, in the unnamed module. */
final class ClassPathProbe {
    private static final int OBJECTS = 10_000;

    private ClassPathProbe() {}

    /** Uses a heap, whose type is sealed and permits a class of another package. */
    public static void main(String[] args) {
        System.out.println("named: " + RelocatingHeap.class.getModule().isNamed());
        System.out.println("sealed: " + RelocatingHeap.class.isSealed());
        HeapOptions options = HeapOptions.DEFAULT.withCompactionShare(0);
        for (EvacuationFailurePolicy policy : EvacuationFailurePolicy.values()) {
            try (MemoryPool pool = MemoryPool.builder().build();
                    RelocatingHeap heap = pool.openHeap(options.withEvacuationFailure(policy))) {
                System.out.println(policy + ": " + use(heap));
            }
        }
    }

    /** Fills a heap, thins it out and compacts it; what is left must be as it was. */
    private static String use(RelocatingHeap heap) {
        long[] handles = new long[OBJECTS];
        for (int i = 0; i < OBJECTS; i++) {
            int content = i;
            handles[i] = heap.allocate(1000);
            heap.update(handles[i], bytes -> bytes.set(ValueLayout.JAVA_INT, 0, content));
        }
        for (int i = 0; i < OBJECTS; i++) {
            if (i % 4 != 0) {
                heap.free(handles[i]);
            }
        }
        long givenBack = heap.compact();
        for (int i = 0; i < OBJECTS; i += 4) {
            int read = heap.read(handles[i], bytes -> bytes.get(ValueLayout.JAVA_INT, 0));
            if (read != i) {
                return "object " + i + " reads " + read;
            }
        }
        return givenBack > 0 && heap.stats().evacuatedBytes() > 0 ? "ok" : "nothing moved";
    }
}
