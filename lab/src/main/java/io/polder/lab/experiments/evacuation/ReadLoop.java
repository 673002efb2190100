package io.polder.lab.experiments.evacuation;

import io.polder.heap.RelocatingHeap;
import io.polder.lab.harness.Loop;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import java.util.function.Function;

/**
 * Copies objects of a heap into a buffer, one after the other in an order drawn before; and as many
 * bytes from memory of their own, laid out the same way. Each kind has code of its own, so that the
 * compiler sees in each what it would see in a program that does nothing else.
 *
 * <p>Used by one thread.
 */
abstract sealed class ReadLoop implements Loop {
    private static final int OPERATIONS = 64;

    private ReadLoop() {}

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

        /** The object after another one, in a circle. */
        private int after(int index) {
            return index + 1 == sizes.length ? 0 : index + 1;
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

    /** From the memory beside the heap. */
    static final class Plain extends ReadLoop {
        private final Objects objects;
        private int next;

        Plain(Objects objects) {
            this.objects = objects;
        }

        @Override
        public int pass() {
            int at = next;
            for (int i = 0; i < OPERATIONS; i++) {
                MemorySegment.copy(
                        objects.beside, objects.offsets[at], objects.buffer, 0, objects.sizes[at]);
                at = objects.after(at);
            }
            next = at;
            return OPERATIONS;
        }
    }

    /** By a function that gets the object. */
    static final class Read extends ReadLoop {
        private final Objects objects;
        private final Function<MemorySegment, @Nullable Void> reader;
        private int next;

        Read(Objects objects) {
            this.objects = objects;
            MemorySegment buffer = objects.buffer;
            this.reader =
                    object -> {
                        MemorySegment.copy(object, 0, buffer, 0, object.byteSize());
                        return null;
                    };
        }

        @Override
        public int pass() {
            int at = next;
            for (int i = 0; i < OPERATIONS; i++) {
                objects.heap.read(objects.handles[at], reader);
                at = objects.after(at);
            }
            next = at;
            return OPERATIONS;
        }
    }

    /** By the heap itself. */
    static final class Get extends ReadLoop {
        private final Objects objects;
        private int next;

        Get(Objects objects) {
            this.objects = objects;
        }

        @Override
        public int pass() {
            int at = next;
            for (int i = 0; i < OPERATIONS; i++) {
                objects.heap.get(objects.handles[at], objects.buffer);
                at = objects.after(at);
            }
            next = at;
            return OPERATIONS;
        }
    }
}
