package io.polder.lab.experiments.evacuation;

import io.polder.heap.RelocatingHeap;
import io.polder.heap.StaleHandleException;
import io.polder.lab.harness.Nanos;

import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Objects of one thread, which knows what each must contain: reads, changes and replaces them, and
 * compares all of an object with what was written whenever it reads or changes it.
 *
 * <pre>{@code
 *   slot:  handle   object  = Imprint(slot, version)       0: nothing there
 * }</pre>
 *
 * <p>Not thread-safe.
 */
final class Keeper {
    private static final int PARTS = 10;
    private static final int READS = 4;
    private static final int UPDATES = 4;

    private final RelocatingHeap heap;
    private final ValueSizes sizes;
    private final int sizeMax;
    private final int firstId;
    private final SplittableRandom random;
    private final long[] handles;
    private final int[] versions;
    private final Histogram latencies = Nanos.histogram();

    private final Function<MemorySegment, Boolean> reader;
    private final Consumer<MemorySegment> writer;
    private int slot;
    private long lost;
    private long refused;

    /**
     * Fills its slots.
     *
     * @param firstId which no other keeper's objects have
     * @param sizeMax larger ones are as large as that
     */
    Keeper(RelocatingHeap heap, int slots, int firstId, int sizeMax, long seed) {
        this.heap = heap;
        this.sizes = ValueSizes.ofCache();
        this.sizeMax = sizeMax;
        this.firstId = firstId;
        this.random = new SplittableRandom(seed);
        this.handles = new long[slots];
        this.versions = new int[slots];
        this.reader = object -> Imprint.isIntact(object, firstId + slot, versions[slot]);
        this.writer =
                object -> {
                    if (!Imprint.isIntact(object, firstId + slot, versions[slot])) {
                        lost++;
                    }
                    Imprint.write(object, firstId + slot, versions[slot] + 1);
                };
        for (slot = 0; slot < slots; slot++) {
            allocate();
        }
    }

    /** One operation, on a slot that is drawn. */
    void operate() {
        slot = random.nextInt(handles.length);
        int part = random.nextInt(PARTS);
        if (handles[slot] == 0) {
            allocate();
            return;
        }
        long start = System.nanoTime();
        try {
            if (part < READS) {
                check(heap.read(handles[slot], reader));
            } else if (part < READS + UPDATES) {
                heap.update(handles[slot], writer);
                versions[slot]++;
            } else {
                heap.free(handles[slot]);
                handles[slot] = 0;
            }
        } catch (StaleHandleException _) {
            // It was not freed: the object is gone.
            lost++;
            handles[slot] = 0;
        }
        Nanos.record(latencies, System.nanoTime() - start);
        if (handles[slot] == 0) {
            allocate();
        }
    }

    private void allocate() {
        int size = Math.min(sizeMax, sizes.next(random));
        try {
            handles[slot] = heap.allocate(size);
        } catch (OutOfMemoryError full) {
            // As was asked for: the slot is tried again later.
            refused++;
            return;
        }
        versions[slot]++;
        heap.update(handles[slot], object -> Imprint.write(object, firstId + slot, versions[slot]));
    }

    /** Reads all objects and compares all their bytes. */
    void checkAll() {
        for (slot = 0; slot < handles.length; slot++) {
            if (handles[slot] != 0) {
                try {
                    check(heap.read(handles[slot], reader));
                } catch (StaleHandleException _) {
                    lost++;
                    handles[slot] = 0;
                }
            }
        }
    }

    private void check(@Nullable Boolean intact) {
        if (intact == null || !intact) {
            lost++;
        }
    }

    int slots() {
        return handles.length;
    }

    /** Objects that were not found, or not as they were written. */
    long lost() {
        return lost;
    }

    /** Allocations for which there was no room. */
    long refused() {
        return refused;
    }

    /** How long reads, updates and frees took. */
    Histogram latencies() {
        return latencies;
    }
}
