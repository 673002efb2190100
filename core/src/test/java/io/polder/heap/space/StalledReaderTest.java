package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.Await;
import io.polder.gate.ScriptedThread;
import io.polder.heap.HeapStatistics;
import io.polder.heap.RelocatingHeap;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A thread that stays inside {@code read} or {@code update} holds up the end of a cycle and nobody
 * else.
 *
 * <p>Who stalls before a cycle begins holds it where it prepares. Who comes then and stalls, while
 * the first leaves, holds it where all is copied and nothing given back yet.
 */
class StalledReaderTest extends HeapFixture {
    private static final int OBJECTS = 20_000;
    private static final int KEEP = 8;
    private static final long BYTES = 512;

    /** A guest that is inside a function of the heap until told to leave. */
    private static final class Inside implements AutoCloseable {
        private final ScriptedThread guest = ScriptedThread.platform();
        private final Object monitor = new Object();
        private final AtomicReference<MemorySegment> segment = new AtomicReference<>();
        private final FutureTask<Boolean> section;
        private boolean leaves;

        private Inside(RelocatingHeap heap, long handle, boolean update) {
            guest.thread().setName("stalled");
            section =
                    guest.beginBlocking(
                            () -> {
                                if (update) {
                                    heap.update(handle, this::stay);
                                } else {
                                    heap.read(
                                            handle,
                                            bytes -> {
                                                stay(bytes);
                                                return true;
                                            });
                                }
                            });
        }

        static Inside reading(RelocatingHeap heap, long handle) {
            return new Inside(heap, handle, false);
        }

        static Inside updating(RelocatingHeap heap, long handle) {
            return new Inside(heap, handle, true);
        }

        /** What is read or written last is the word that was there, or {@code -1} written. */
        private void stay(MemorySegment bytes) {
            segment.set(bytes);
            long before = bytes.get(ValueLayout.JAVA_LONG, 0);
            synchronized (monitor) {
                while (!leaves) {
                    try {
                        monitor.wait();
                    } catch (InterruptedException e) {
                        throw new AssertionError("nobody interrupts tests", e);
                    }
                }
            }
            assertThat(bytes.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(before);
            if (!bytes.isReadOnly()) {
                bytes.set(ValueLayout.JAVA_LONG, 0, -1);
            }
        }

        /** Where the object is that it looks at. */
        long address() {
            return segment.get().address();
        }

        void leave() {
            synchronized (monitor) {
                leaves = true;
                monitor.notifyAll();
            }
            ScriptedThread.get(section);
        }

        @Override
        public void close() {
            leave();
            guest.close();
        }
    }

    private static long address(RelocatingHeap heap, long handle) {
        return heap.read(handle, MemorySegment::address);
    }

    /** What others do all the time: read, update, allocate, free. */
    private static void assertOthersGoOn(RelocatingHeap heap, long[] handles, int first) {
        for (int i = first; i < handles.length; i += KEEP) {
            assertThat(wordOf(heap, handles[i])).isEqualTo(i);
            if (i % (2 * KEEP) == 0) {
                setWord(heap, handles[i], i);
            }
            long made = heap.allocate(word(i));
            assertThat(wordOf(heap, made)).isEqualTo(i);
            heap.free(made);
        }
    }

    @ParameterizedTest
    @MethodSource("io.polder.heap.space.HeapVariant#all")
    void stalledBeforeTheCycle_othersGoOnAndItEndsAfterwards(HeapVariant variant) {
        RelocatingHeap heap = heap(variant, 64 * MIB);
        long[] handles = objects(heap, OBJECTS, BYTES);
        thin(heap, handles, KEEP);
        try (ScriptedThread compactor = ScriptedThread.platform()) {
            try (Inside stalled = Inside.reading(heap, handles[0])) {
                FutureTask<Boolean> compacted = compactor.beginBlocking(heap::compact);
                assertOthersGoOn(heap, handles, KEEP);
                assertThat(stalledOne(heap).longestInsideThread()).isEqualTo("stalled");
                assertThat(stalledOne(heap).longestInsideNanos()).isPositive();
                assertThat(HeapCheck.counts(space(heap)).evacuatedObjects())
                        .as("nobody copies yet")
                        .isZero();
                assertThat(heap.stats().cycles()).isZero();
                assertThat(compacted.isDone()).isFalse();
                HeapCheck.verify(space(heap));
                stalled.leave();
                ScriptedThread.get(compacted);
            }
        }
        assertThat(heap.stats().longestInsideThread()).isNull();
        assertThat(heap.stats().cycles()).isPositive();
        assertThat(heap.compact()).isNotNegative();
        checkThinned(heap, handles, KEEP);
    }

    private static HeapStatistics stalledOne(RelocatingHeap heap) {
        HeapStatistics now = heap.stats();
        assertThat(now.longestInsideThread()).as("somebody is inside: %s", now).isNotNull();
        return now;
    }

    /**
     * An update while the cycle prepares keeps its object where it is as long as it lasts; what is
     * read is what was written.
     */
    @ParameterizedTest
    @MethodSource("io.polder.heap.space.HeapVariant#policies")
    void updatedWhilePreparing_staysUntilTheUpdateHasEnded(HeapVariant variant) {
        RelocatingHeap heap = heap(variant, 64 * MIB);
        long[] handles = objects(heap, OBJECTS, BYTES);
        thin(heap, handles, KEEP);
        long updated = handles[KEEP];
        long updating = handles[2 * KEEP];
        long updatedAt = address(heap, updated);
        long updatingAt = address(heap, updating);
        try (ScriptedThread compactor = ScriptedThread.platform();
                Inside first = Inside.updating(heap, handles[0])) {
            FutureTask<Boolean> compacted = compactor.beginBlocking(heap::compact);
            setWord(heap, updated, 77);
            assertThat(HeapCheck.counts(space(heap)).pinnedObjects()).isEqualTo(1);
            setWord(heap, updated, KEEP);
            assertThat(HeapCheck.counts(space(heap)).pinnedObjects()).as("once").isEqualTo(1);
            try (Inside second = Inside.updating(heap, updating)) {
                assertThat(HeapCheck.counts(space(heap)).pinnedObjects()).isEqualTo(2);
                first.leave();
                awaitCopied(heap, handles.length / KEEP - 2);
                assertThat(address(heap, updated)).isNotEqualTo(updatedAt);
                assertThat(address(heap, updating)).isEqualTo(updatingAt);
                assertThat(compacted.isDone()).isFalse();
                second.leave();
            }
            ScriptedThread.get(compacted);
        }
        assertThat(wordOf(heap, handles[0])).as("written before it left").isEqualTo(-1);
        assertThat(wordOf(heap, updating)).as("written before it left").isEqualTo(-1);
        setWord(heap, handles[0], 0);
        setWord(heap, updating, 2 * KEEP);
        heap.compact();
        checkThinned(heap, handles, KEEP);
    }

    /** Waits until as many objects were copied, by whoever does. */
    private static void awaitCopied(RelocatingHeap heap, long objects) {
        Await.until(() -> HeapCheck.counts(space(heap)).evacuatedObjects() >= objects);
    }

    /** All is copied, nothing given back: the reader has the old bytes, all others the new ones. */
    @ParameterizedTest
    @MethodSource("io.polder.heap.space.HeapVariant#policies")
    void stalledReaderOfWhatIsCopied_keepsItsBytes(HeapVariant variant) {
        RelocatingHeap heap = heap(variant, 64 * MIB);
        long[] handles = objects(heap, OBJECTS, BYTES);
        thin(heap, handles, KEEP);
        try (ScriptedThread compactor = ScriptedThread.platform();
                Inside first = Inside.reading(heap, handles[0])) {
            FutureTask<Boolean> compacted = compactor.beginBlocking(heap::compact);
            try (Inside second = Inside.reading(heap, handles[KEEP])) {
                first.leave();
                awaitCopied(heap, handles.length / KEEP);
                assertThat(address(heap, handles[KEEP])).isNotEqualTo(second.address());
                setWord(heap, handles[KEEP], 99);
                assertThat(wordOf(heap, handles[KEEP])).isEqualTo(99);
                assertOthersGoOn(heap, handles, 2 * KEEP);
                heap.free(handles[2 * KEEP]);
                assertThat(compacted.isDone()).isFalse();
                assertThat(heap.stats().givenBackBytes()).isZero();
                second.leave();
            }
            ScriptedThread.get(compacted);
        }
        assertThat(heap.stats().givenBackBytes()).isPositive();
        assertThat(wordOf(heap, handles[KEEP])).isEqualTo(99);
        assertThat(heap.isLive(handles[2 * KEEP])).isFalse();
    }

    /** Two stall at once: the cycle ends when both have left, in whatever order. */
    @ParameterizedTest
    @MethodSource("io.polder.heap.space.HeapVariant#policies")
    void twoStalled_bothAreWaitedFor(HeapVariant variant) {
        RelocatingHeap heap = heap(variant, 64 * MIB);
        long[] handles = objects(heap, OBJECTS, BYTES);
        thin(heap, handles, KEEP);
        try (ScriptedThread compactor = ScriptedThread.platform();
                Inside reader = Inside.reading(heap, handles[0]);
                Inside updater = Inside.updating(heap, handles[KEEP])) {
            FutureTask<Boolean> compacted = compactor.beginBlocking(heap::compact);
            updater.leave();
            assertOthersGoOn(heap, handles, 2 * KEEP);
            assertThat(compacted.isDone()).isFalse();
            assertThat(heap.stats().cycles()).isZero();
            reader.leave();
            ScriptedThread.get(compacted);
        }
        assertThat(wordOf(heap, handles[KEEP])).isEqualTo(-1);
        setWord(heap, handles[KEEP], KEEP);
        checkThinned(heap, handles, KEEP);
    }
}
