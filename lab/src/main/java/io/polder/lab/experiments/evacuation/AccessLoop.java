package io.polder.lab.experiments.evacuation;

import io.polder.heap.RelocatingHeap;
import io.polder.lab.harness.Loop;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Function;

/**
 * Uses objects of 64 bytes, in an order drawn anew. Each kind has code of its own.
 *
 * <p>Used by one thread.
 */
abstract sealed class AccessLoop implements Loop {
    /** What an object has. */
    static final int OBJECT_BYTES = 64;

    private static final int OPERATIONS = 64;

    private final SplittableRandom random = new SplittableRandom(1);

    /** What was read, so that the compiler does not leave it out. */
    private long sum;

    private AccessLoop() {}

    @Override
    public int pass() {
        long read = 0;
        for (int i = 0; i < OPERATIONS; i++) {
            read += use(random);
        }
        sum += read;
        return OPERATIONS;
    }

    /** What was read altogether. */
    long sum() {
        return sum;
    }

    /** Uses one object. */
    abstract long use(SplittableRandom random);

    /** Handles of objects, and the heap that has them. */
    static final class Objects {
        private final RelocatingHeap heap;
        private final long[] handles;

        private Objects(RelocatingHeap heap, long[] handles) {
            this.heap = heap;
            this.handles = handles;
        }

        /** So many objects. */
        static Objects of(RelocatingHeap heap, int count) {
            long[] handles = new long[count];
            MemorySegment content = MemorySegment.ofArray(new long[OBJECT_BYTES / Long.BYTES]);
            for (int i = 0; i < count; i++) {
                content.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, i);
                handles[i] = heap.allocate(content);
            }
            return new Objects(heap, handles);
        }

        private long any(SplittableRandom random) {
            return handles[random.nextInt(handles.length)];
        }
    }

    /** A number of an object, without a function. */
    static final class GetLong extends AccessLoop {
        private final Objects objects;

        GetLong(Objects objects) {
            this.objects = objects;
        }

        @Override
        long use(SplittableRandom random) {
            return objects.heap.getLong(objects.any(random), 0);
        }
    }

    /** A copy of an object. */
    static final class Get extends AccessLoop {
        private final Objects objects;
        private final MemorySegment buffer = Arena.ofAuto().allocate(OBJECT_BYTES);

        Get(Objects objects) {
            this.objects = objects;
        }

        @Override
        long use(SplittableRandom random) {
            objects.heap.get(objects.any(random), buffer);
            return buffer.get(ValueLayout.JAVA_LONG_UNALIGNED, 0);
        }
    }

    /** A copy of as many bytes from memory that no heap has. */
    static final class Copy extends AccessLoop {
        private final MemorySegment memory;
        private final int count;
        private final MemorySegment buffer = Arena.ofAuto().allocate(OBJECT_BYTES);

        Copy(MemorySegment memory) {
            this.memory = memory;
            this.count = Math.toIntExact(memory.byteSize() / OBJECT_BYTES);
        }

        @Override
        long use(SplittableRandom random) {
            long at = (long) random.nextInt(count) * OBJECT_BYTES;
            MemorySegment.copy(memory, at, buffer, 0, OBJECT_BYTES);
            return buffer.get(ValueLayout.JAVA_LONG_UNALIGNED, 0);
        }
    }

    /** By functions of several classes in turn, as in a program that reads in several places. */
    static final class ReadMany extends AccessLoop {
        private static final List<Function<MemorySegment, Long>> READERS =
                List.of(
                        object -> object.get(ValueLayout.JAVA_LONG_UNALIGNED, 0) & 1,
                        object -> object.get(ValueLayout.JAVA_LONG_UNALIGNED, 8) & 3,
                        object -> object.get(ValueLayout.JAVA_LONG_UNALIGNED, 16) & 7,
                        object -> object.get(ValueLayout.JAVA_LONG_UNALIGNED, 24) & 15,
                        object -> object.get(ValueLayout.JAVA_LONG_UNALIGNED, 32) & 31);

        private final Objects objects;
        private int next;

        ReadMany(Objects objects) {
            this.objects = objects;
        }

        @Override
        long use(SplittableRandom random) {
            next = next + 1 == READERS.size() ? 0 : next + 1;
            return objects.heap.read(objects.any(random), READERS.get(next));
        }
    }
}
