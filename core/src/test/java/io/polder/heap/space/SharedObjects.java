package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.heap.RelocatingHeap;
import io.polder.heap.StaleHandleException;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Objects that all threads read and write. Each word of an object is its number and a version.
 *
 * <p>A writer of an object holds its lock. Who reads takes none: it may see words of two versions,
 * but none older than what was published before it began, and none newer than what was begun when
 * it had ended. Now and then an object is replaced by one with another handle.
 */
final class SharedObjects {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;
    private static final int COUNT = 48;
    private static final int REPLACES_ONE_IN = 16;

    private final RelocatingHeap heap;
    private final AtomicLongArray handles = new AtomicLongArray(COUNT);
    private final AtomicIntegerArray begun = new AtomicIntegerArray(COUNT);
    private final AtomicIntegerArray published = new AtomicIntegerArray(COUNT);
    private final Object[] locks = new Object[COUNT];
    final AtomicInteger updates = new AtomicInteger();
    final AtomicInteger replacements = new AtomicInteger();
    final AtomicInteger reads = new AtomicInteger();
    final AtomicInteger staleReads = new AtomicInteger();

    SharedObjects(RelocatingHeap heap, SplittableRandom random) {
        this.heap = heap;
        for (int i = 0; i < COUNT; i++) {
            locks[i] = new Object();
            handles.set(i, written(size(random), stamp(i, 0)));
        }
    }

    private static long size(SplittableRandom random) {
        return switch (random.nextInt(16)) {
            case 0 -> Long.BYTES * (1 + random.nextLong(80 << 10));
            case 1, 2, 3 -> Long.BYTES * (1 + random.nextLong(4 << 10));
            default -> Long.BYTES * (1 + random.nextLong(64));
        };
    }

    private static long stamp(int index, int version) {
        return (long) index << Integer.SIZE | version;
    }

    private long written(long bytes, long stamp) {
        long handle = heap.allocate(bytes);
        heap.update(handle, segment -> write(segment, stamp));
        return handle;
    }

    private static void write(MemorySegment segment, long stamp) {
        for (long at = 0; at < segment.byteSize(); at += Long.BYTES) {
            segment.set(WORD, at, stamp);
        }
    }

    void update(SplittableRandom random) {
        int index = random.nextInt(COUNT);
        synchronized (locks[index]) {
            int version = begun.incrementAndGet(index);
            long handle = handles.get(index);
            if (random.nextInt(REPLACES_ONE_IN) == 0) {
                handles.set(index, written(size(random), stamp(index, version)));
                heap.free(handle);
                replacements.incrementAndGet();
            } else {
                heap.update(handle, segment -> write(segment, stamp(index, version)));
                updates.incrementAndGet();
            }
            published.set(index, version);
        }
    }

    void read(SplittableRandom random) {
        int index = random.nextInt(COUNT);
        int oldest = published.get(index);
        long handle = handles.get(index);
        try {
            int newest = heap.read(handle, segment -> check(segment, index, oldest));
            assertThat(newest).isLessThanOrEqualTo(begun.get(index));
            reads.incrementAndGet();
        } catch (StaleHandleException stale) {
            assertThat(handles.get(index)).as("stale only if replaced").isNotEqualTo(handle);
            staleReads.incrementAndGet();
        }
    }

    /** Looks at each word; the newest version. */
    private static int check(MemorySegment segment, int index, int oldest) {
        int newest = oldest;
        for (long at = 0; at < segment.byteSize(); at += Long.BYTES) {
            long word = segment.get(WORD, at);
            int version = (int) word;
            if (word >>> Integer.SIZE != index || version < oldest) {
                throw new AssertionError(
                        "a word must be of its object and not older than what was published: index="
                                + index
                                + ", found="
                                + (word >>> Integer.SIZE)
                                + ", version="
                                + version
                                + ", oldest="
                                + oldest
                                + ", at="
                                + at);
            }
            newest = Math.max(newest, version);
        }
        return newest;
    }

    /** Looks at all objects while nobody writes, and frees them. */
    void end() {
        for (int i = 0; i < COUNT; i++) {
            int index = i;
            int newest =
                    heap.read(
                            handles.get(i), segment -> check(segment, index, published.get(index)));
            assertThat(newest).isEqualTo(published.get(i)).isEqualTo(begun.get(i));
            heap.free(handles.get(i));
        }
    }
}
