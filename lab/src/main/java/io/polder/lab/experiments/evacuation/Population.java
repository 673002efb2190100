package io.polder.lab.experiments.evacuation;

import io.polder.heap.RelocatingHeap;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.SplittableRandom;

/**
 * So many objects of a heap, and who may replace which.
 *
 * <pre>{@code
 *   handles  | of thread 0 | of thread 1 | of thread 2 |     each thread replaces and updates its
 *            0                                    count      own, and reads all
 * }</pre>
 *
 * <p>Thread-safe, if each thread keeps to that.
 */
final class Population {
    private static final VarHandle HANDLE = MethodHandles.arrayElementVarHandle(long[].class);

    private final RelocatingHeap heap;
    private final ValueSizes sizes;
    private final int threads;
    private final long[] handles;

    /** Fills a heap with objects of about so many bytes altogether. */
    Population(RelocatingHeap heap, ValueSizes sizes, long bytes, int threads, long seed) {
        this.heap = heap;
        this.sizes = sizes;
        this.threads = threads;
        this.handles = new long[Math.max(threads, (int) (bytes / sizes.mean()))];
        SplittableRandom random = new SplittableRandom(seed);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment content = arena.allocate(sizes.max());
            for (int slot = 0; slot < handles.length; slot++) {
                set(slot, heap.allocate(content.asSlice(0, sizes.next(random))));
            }
        }
    }

    RelocatingHeap heap() {
        return heap;
    }

    ValueSizes sizes() {
        return sizes;
    }

    int count() {
        return handles.length;
    }

    long handle(int slot) {
        return (long) HANDLE.getAcquire(handles, slot);
    }

    void set(int slot, long handle) {
        HANDLE.setRelease(handles, slot, handle);
    }

    /** The slot of any object. */
    int draw(SplittableRandom random) {
        return random.nextInt(handles.length);
    }

    /** The slot of an object of a thread. */
    int drawOwn(SplittableRandom random, int thread) {
        return (int) ((long) handles.length * thread / threads)
                + random.nextInt(handles.length / threads);
    }
}
