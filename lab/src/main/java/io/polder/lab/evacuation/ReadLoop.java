package io.polder.lab.evacuation;

import io.polder.heap.RelocatingHeap;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import java.util.function.Function;

/**
 * Copies objects of a heap into a buffer, one after the other in an order drawn before; and as many
 * bytes from memory of their own, laid out the same way.
 *
 * <p>Used by one thread.
 */
abstract sealed class ReadLoop implements Loop {
    private static final int OPERATIONS = 64;

    private final Objects objects;
    private int next;

    private ReadLoop(Objects objects) {
        this.objects = objects;
    }

    /** What is read: in the heap, and the same bytes beside it. */
    static final class Objects {
        private final RelocatingHeap heap;
        private final long[] handles;
        private final long[] offsets;
        private final int[] sizes;
        private final MemorySegment beside;
        private final MemorySegment buffer;

        /** Objects of about so many bytes altogether, none of them larger than {@code sizeMax}. */
        Objects(RelocatingHeap heap, long bytes, int sizeMax, long seed) {
            ValueSizes values = ValueSizes.ofCache();
            SplittableRandom random = new SplittableRandom(seed);
            int count = Math.max(1, (int) (bytes / values.mean()));
            this.heap = heap;
            this.sizes =
                    random.ints(count, 0, 1)
                            .map(_ -> Math.min(sizeMax, values.next(random)))
                            .toArray();
            this.offsets = new long[count];
            long end = 0;
            for (int i = 0; i < count; i++) {
                offsets[i] = end;
                // As in the heap: a header, and a multiple of 8 bytes.
                end += Long.BYTES + (sizes[i] + Long.BYTES - 1L) / Long.BYTES * Long.BYTES;
            }
            this.beside = Arena.ofAuto().allocate(end, Long.BYTES).fill((byte) 1);
            this.buffer = Arena.ofAuto().allocate(sizeMax, Long.BYTES);
            this.handles = new long[count];
            for (int i = 0; i < count; i++) {
                handles[i] = heap.allocate(beside.asSlice(offsets[i], sizes[i]));
            }
            shuffle(random);
        }

        private void shuffle(SplittableRandom random) {
            for (int i = sizes.length - 1; i > 0; i--) {
                int j = random.nextInt(i + 1);
                long handle = handles[i];
                handles[i] = handles[j];
                handles[j] = handle;
                long offset = offsets[i];
                offsets[i] = offsets[j];
                offsets[j] = offset;
                int size = sizes[i];
                sizes[i] = sizes[j];
                sizes[j] = size;
            }
        }
    }

    @Override
    public final int pass() {
        for (int i = 0; i < OPERATIONS; i++) {
            copy(objects, next);
            next = next + 1 == objects.sizes.length ? 0 : next + 1;
        }
        return OPERATIONS;
    }

    abstract void copy(Objects objects, int index);

    /** From the memory beside the heap. */
    static final class Plain extends ReadLoop {
        Plain(Objects objects) {
            super(objects);
        }

        @Override
        void copy(Objects objects, int index) {
            MemorySegment.copy(
                    objects.beside,
                    objects.offsets[index],
                    objects.buffer,
                    0,
                    objects.sizes[index]);
        }
    }

    /** By a function that gets the object. */
    static final class Read extends ReadLoop {
        private final Function<MemorySegment, @Nullable Void> reader;

        Read(Objects objects) {
            super(objects);
            MemorySegment buffer = objects.buffer;
            this.reader =
                    object -> {
                        MemorySegment.copy(object, 0, buffer, 0, object.byteSize());
                        return null;
                    };
        }

        @Override
        void copy(Objects objects, int index) {
            objects.heap.read(objects.handles[index], reader);
        }
    }

    /** By the heap itself. */
    static final class Get extends ReadLoop {
        Get(Objects objects) {
            super(objects);
        }

        @Override
        void copy(Objects objects, int index) {
            objects.heap.get(objects.handles[index], objects.buffer);
        }
    }
}
