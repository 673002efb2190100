package io.polder.lab.experiments.evacuation;

import io.polder.heap.RelocatingHeap;
import io.polder.heap.StaleHandleException;
import io.polder.lab.harness.Loop;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * What a thread does with a heap: of a hundred operations eighty read an object, ten change one,
 * and ten free one and allocate another in its place.
 *
 * <p>Used by one thread.
 */
final class TrafficLoop implements Loop {
    private static final int OPERATIONS = 64;
    private static final int PARTS = 100;
    private static final int READS = 80;
    private static final int UPDATES = 10;
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED;

    private final Population population;
    private final Passage passage;
    private final RelocatingHeap heap;
    private final int thread;
    private final SplittableRandom random;
    private final MemorySegment buffer;
    private final Function<MemorySegment, @Nullable Void> reader;
    private final Consumer<MemorySegment> writer;
    private long stale;

    /** The operations of a thread, the first of which is 0. */
    TrafficLoop(Population population, Passage passage, int thread, long seed) {
        this.population = population;
        this.passage = passage;
        this.heap = population.heap();
        this.thread = thread;
        this.random = new SplittableRandom(seed);
        this.buffer = Arena.ofAuto().allocate(population.sizes().max(), Long.BYTES);
        this.reader =
                object -> {
                    MemorySegment.copy(object, 0, buffer, 0, object.byteSize());
                    return null;
                };
        this.writer = object -> object.set(WORD, 0, object.get(WORD, 0) + 1);
    }

    @Override
    public int pass() {
        for (int i = 0; i < OPERATIONS; i++) {
            operate();
        }
        return OPERATIONS;
    }

    /** One operation. */
    void operate() {
        long section = passage.begin();
        try {
            operateInside();
        } finally {
            passage.end(section);
        }
    }

    private void operateInside() {
        int part = random.nextInt(PARTS);
        if (part < READS) {
            read(population.handle(population.draw(random)));
        } else {
            int slot = population.drawOwn(random, thread);
            if (part < READS + UPDATES) {
                heap.update(population.handle(slot), writer);
            } else {
                replace(slot);
            }
        }
    }

    private void read(long handle) {
        try {
            heap.read(handle, reader);
        } catch (StaleHandleException _) {
            // Its owner freed it since the handle was read, as in any cache.
            stale++;
        }
    }

    private void replace(int slot) {
        int size = population.sizes().next(random);
        heap.free(population.handle(slot));
        population.set(slot, heap.allocate(buffer.asSlice(0, size)));
    }

    /** Reads of objects that another thread freed at that moment. */
    long stale() {
        return stale;
    }
}
