package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.polder.Await;
import io.polder.heap.RelocatingHeap;
import io.polder.heap.StaleHandleException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** Many objects at a time, in numbers on both sides of a group's. */
class BatchesTest extends HeapFixture {
    private static final int BYTES = 24;

    private static long[] objects(RelocatingHeap heap, int count) {
        long[] handles = new long[count];
        heap.allocateAll(BYTES, handles);
        for (int i = 0; i < count; i++) {
            assertThat(heap.getLong(handles[i], 8)).as("zero at first").isZero();
            heap.setLong(handles[i], 8, i + 1);
        }
        return handles;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 63, 64, 65, 1000})
    void batch_any_isAsOneByOne(int count) {
        RelocatingHeap heap = heap();
        long[] handles = objects(heap, count);
        assertThat(IntStream.range(0, count).mapToLong(i -> handles[i]).distinct().count())
                .isEqualTo(count);
        long[] words = new long[count + 1];
        heap.getAll(handles, 8, Long.BYTES, MemorySegment.ofArray(words));
        assertThat(words)
                .isEqualTo(
                        IntStream.rangeClosed(1, count + 1)
                                .mapToLong(i -> i <= count ? i : 0)
                                .toArray());
        assertThat(HeapCheck.statsAtRest(space(heap)).liveObjects()).isEqualTo(count);
        heap.freeAll(handles);
        assertThat(HeapCheck.statsAtRest(space(heap)).liveObjects()).isZero();
    }

    @Test
    void getAll_objectsMovedAndPackedAway_findsThem() {
        RelocatingHeap heap = heap();
        long[] handles = objects(heap, 100_000);
        long[] kept = new long[1000];
        long[] rest = new long[handles.length - kept.length];
        for (int i = 0; i < handles.length; i++) {
            if (i % 100 == 0) {
                kept[i / 100] = handles[i];
            } else {
                rest[i - i / 100 - 1] = handles[i];
            }
        }
        heap.freeAll(rest);
        long _ = heap.compact();
        long[] words = new long[kept.length];
        heap.getAll(kept, 8, Long.BYTES, MemorySegment.ofArray(words));
        for (int i = 0; i < words.length; i++) {
            assertThat(words[i]).isEqualTo(100L * i + 1);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 5, 63, 64, 100, 199})
    void staleHandle_inTheMiddle_endsTheBatchThere(int position) {
        RelocatingHeap heap = heap();
        long[] handles = objects(heap, 200);
        heap.free(handles[position]);
        long[] words = new long[handles.length];
        assertThatExceptionOfType(StaleHandleException.class)
                .isThrownBy(() -> heap.getAll(handles, 8, 8, MemorySegment.ofArray(words)))
                .withMessageContaining("its object was freed")
                .withMessageEndingWith(", position=" + position);
        for (int i = 0; i < words.length; i++) {
            assertThat(words[i]).isEqualTo(i < position ? i + 1 : 0);
        }
        assertThatExceptionOfType(StaleHandleException.class)
                .isThrownBy(() -> heap.freeAll(handles))
                .withMessageEndingWith(", position=" + position);
        for (int i = 0; i < handles.length; i++) {
            assertThat(heap.isLive(handles[i])).isEqualTo(i > position);
        }
    }

    @Test
    void freeAll_sameHandleTwice_isStaleTheSecondTime() {
        RelocatingHeap heap = heap();
        long handle = heap.allocate(BYTES);
        assertThatExceptionOfType(StaleHandleException.class)
                .isThrownBy(() -> heap.freeAll(new long[] {handle, handle}))
                .withMessageEndingWith(", position=1");
    }

    @Test
    void getAll_objectTooSmall_endsTheBatchThere() {
        RelocatingHeap heap = heap();
        long[] handles = objects(heap, 100);
        heap.resize(handles[70], 15);
        long[] words = new long[handles.length];
        assertThatExceptionOfType(IndexOutOfBoundsException.class)
                .isThrownBy(() -> heap.getAll(handles, 8, 8, MemorySegment.ofArray(words)))
                .withMessage(
                        "an access must be within the object: offset=8, bytes=8, size=15,"
                                + " position=70");
        assertThat(words[69]).isEqualTo(70);
        assertThat(words[70] | words[71]).isZero();
    }

    @Test
    void getAll_badArguments_areRefusedAndNothingCopied() {
        RelocatingHeap heap = heap();
        long[] handles = objects(heap, 10);
        MemorySegment small = MemorySegment.ofArray(new byte[79]);
        assertThatExceptionOfType(IndexOutOfBoundsException.class)
                .isThrownBy(() -> heap.getAll(handles, 0, 8, small))
                .withMessage(
                        "the parts of all objects must fit into the segment: objects=10, bytes=8,"
                                + " size=79");
        for (long bytes : new long[] {-1, Long.MIN_VALUE, Long.MAX_VALUE}) {
            assertThatExceptionOfType(IndexOutOfBoundsException.class)
                    .isThrownBy(() -> heap.getAll(handles, 8, bytes, small));
        }
        assertThat(small.mismatch(MemorySegment.ofArray(new byte[79]))).isEqualTo(-1);
        heap.getAll(handles, BYTES, 0, MemorySegment.NULL);
    }

    @Test
    void allocateAll_noRoomForAll_allocatesNone() {
        RelocatingHeap heap = heap(HeapVariant.USUAL, 16 * MIB);
        long[] handles = new long[200];
        assertThatExceptionOfType(OutOfMemoryError.class)
                .isThrownBy(() -> heap.allocateAll(100 * KIB, handles));
        assertThat(handles).containsOnly(0);
        assertThat(HeapCheck.statsAtRest(space(heap)).liveObjects()).isZero();
        heap.allocateAll(KIB, handles);
        assertThat(handles).doesNotContain(0);
    }

    /** Who finds an object of a batch may free it before the batch is undone. */
    @Test
    void allocateAll_noRoomAndOthersFreeSome_undoesTheRest() throws InterruptedException {
        RelocatingHeap heap = heap(HeapVariant.USUAL, 16 * MIB);
        int rounds = 0;
        while (rounds < 3) { // the fixture ends it
            AtomicBoolean stop = new AtomicBoolean();
            AtomicInteger seen = new AtomicInteger();
            Thread other =
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        while (!stop.get()) {
                                            heap.forEach(handle -> freeSome(heap, handle, seen));
                                        }
                                    });
            long[] handles = new long[100_000];
            assertThatExceptionOfType(OutOfMemoryError.class)
                    .isThrownBy(() -> heap.allocateAll(KIB, handles));
            stop.set(true);
            Await.end(other);
            rounds += seen.get() == 20 ? 1 : 0; // else the other thread came too late
            assertThat(handles).containsOnly(0);
            assertThat(HeapCheck.statsAtRest(space(heap)).liveObjects()).isZero();
        }
    }

    private static void freeSome(RelocatingHeap heap, long handle, AtomicInteger seen) {
        if (seen.get() < 20) {
            try {
                heap.free(handle);
                seen.incrementAndGet();
            } catch (StaleHandleException undone) {
                return; // which another one found
            }
        }
    }

    @Test
    void allocateAll_badSizeOrClosed_isRefused() {
        RelocatingHeap heap = heap();
        for (long bytes : new long[] {-1, Long.MAX_VALUE}) {
            long[] used = {1, 2};
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> heap.allocateAll(bytes, used))
                    .withMessageStartingWith("an object must fit into its heap: bytes=" + bytes);
            assertThat(used).as("no handles").containsOnly(0);
        }
        long[] handles = objects(heap, 3);
        pagesOf(heap).shut();
        long[] used = {1, 2};
        assertThatIllegalStateException()
                .isThrownBy(() -> heap.allocateAll(8, used))
                .withMessage("the pool is closed, and its heaps allocate no more: pool=");
        assertThat(used).as("no handles").containsOnly(0);
        heap.close();
        for (long[] some : new long[][] {handles, {}}) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> heap.freeAll(some))
                    .withMessage("the heap is closed");
            assertThatIllegalStateException()
                    .isThrownBy(() -> heap.getAll(some, 0, 0, MemorySegment.NULL))
                    .withMessage("the heap is closed");
        }
    }
}
