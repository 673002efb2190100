package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.heap.RelocatingHeap;

import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;

/**
 * Objects that come and go, so that regions are never full for long, and a cycle after each change:
 * whatever stands between these objects is moved again and again. For one thread.
 */
final class Churn {
    private static final long BYTES_MAX = 8 << 10;
    private static final int CHANGES = 60;

    private final RelocatingHeap heap;
    private final SplittableRandom random;
    private final long[] handles;
    private long changes;

    /** A population of so many objects of up to 8 KiB. */
    Churn(RelocatingHeap heap, SplittableRandom random, int objects) {
        this.heap = heap;
        this.random = random;
        this.handles = new long[objects];
        for (int i = 0; i < objects; i++) {
            handles[i] = allocate(i);
        }
    }

    private long allocate(int index) {
        long handle = heap.allocate(Long.BYTES + random.nextLong(BYTES_MAX));
        heap.update(handle, bytes -> bytes.set(ValueLayout.JAVA_LONG, 0, index));
        return handle;
    }

    /** Replaces some objects, and compacts. */
    void round() {
        for (int i = 0; i < CHANGES; i++) {
            int index = random.nextInt(handles.length);
            long stamp = heap.read(handles[index], bytes -> bytes.get(ValueLayout.JAVA_LONG, 0));
            assertThat(stamp).isEqualTo(index);
            heap.free(handles[index]);
            handles[index] = allocate(index);
            changes++;
        }
        long _ = heap.compact();
    }

    /** How many objects were replaced. */
    long changes() {
        return changes;
    }

    /** Frees all of them. */
    void end() {
        for (long handle : handles) {
            heap.free(handle);
        }
    }
}
