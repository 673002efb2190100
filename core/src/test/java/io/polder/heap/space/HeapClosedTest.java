package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.polder.Await;
import io.polder.gate.ScriptedThread;
import io.polder.heap.RelocatingHeap;
import io.polder.page.space.PageSpace;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;

/** A heap that is closed, or about to be. */
class HeapClosedTest extends HeapFixture {
    private static final long NINE = 9;

    private static void assertAllRefused(RelocatingHeap heap, long handle) {
        ThrowingCallable[] uses = {
            () -> heap.allocate(8),
            () -> heap.allocate(word(1)),
            () -> heap.allocateAll(8, new long[0]),
            () -> heap.free(handle),
            () -> heap.read(handle, MemorySegment::byteSize),
            () -> heap.update(handle, _ -> {}),
            () -> heap.get(handle, word(0)),
            () -> heap.put(handle, 0, word(0)),
            () -> heap.toArray(handle),
            () -> heap.compute(handle, MemorySegment::byteSize),
            () -> heap.getByte(handle, 0),
            () -> heap.getInt(handle, 0),
            () -> heap.getLong(handle, 0),
            () -> heap.getDouble(handle, 0),
            () -> heap.setByte(handle, 0, (byte) 1),
            () -> heap.setInt(handle, 0, 1),
            () -> heap.setLong(handle, 0, 1),
            () -> heap.setDouble(handle, 0, 1),
            () -> heap.getAndAddInt(handle, 0, 1),
            () -> heap.getAndAddLong(handle, 0, 1),
            () -> heap.compareAndSetInt(handle, 0, 0, 1),
            () -> heap.compareAndSetLong(handle, 0, 0, 1),
            () -> heap.get(handle, 0, word(0)),
            () -> heap.get(handle, 0, new byte[1], 0, 1),
            () -> heap.put(handle, 0, word(0)),
            () -> heap.put(handle, 0, new byte[1], 0, 1),
            () -> heap.mismatch(handle, word(0)),
            () -> heap.contentHash(handle),
            () -> heap.resize(handle, 100),
            () -> heap.size(handle),
            () -> heap.isLive(handle),
            () -> heap.forEach(_ -> {}),
            heap::compact
        };
        for (ThrowingCallable use : uses) {
            assertThatIllegalStateException()
                    .isThrownBy(use)
                    .withMessage("the heap is closed")
                    .isExactlyInstanceOf(IllegalStateException.class);
        }
    }

    @ParameterizedTest
    @MethodSource("io.polder.heap.space.HeapVariant#policies")
    void closed_everythingIsRefusedAndAllMemoryBack(HeapVariant variant) {
        PageSpace pages = pages(256 * MIB);
        RelocatingHeap heap = heap(pages, variant.settings());
        long[] handles = objects(heap, 3000, 3 * KIB);
        long medium = heap.allocate(3 * MIB);
        long large = heap.allocate(70 * MIB);
        heap.close();
        assertThat(pages.statistics().takenBytes()).isZero();
        assertAllRefused(heap, handles[0]);
        assertAllRefused(heap, medium);
        assertAllRefused(heap, large);
        assertThat(heap.stats().liveObjects()).isZero();
        heap.close();
        assertThat(pages.statistics().takenBytes()).isZero();
    }

    @Test
    void closedWithoutObjects_everythingIsRefused() {
        RelocatingHeap heap = heap();
        heap.close();
        assertAllRefused(heap, 0);
        assertAllRefused(heap, 1);
    }

    @ParameterizedTest
    @MethodSource("io.polder.heap.space.HeapVariant#policies")
    void close_somebodyInside_waitsForThem(HeapVariant variant) {
        PageSpace pages = pages(256 * MIB);
        RelocatingHeap heap = heap(pages, variant.settings());
        long handle = heap.allocate(word(5));
        CountDownLatch mayLeave = new CountDownLatch(1);
        try (ScriptedThread reader = ScriptedThread.platform();
                ScriptedThread closer = ScriptedThread.platform()) {
            FutureTask<Boolean> read =
                    reader.beginBlocking(
                            () -> {
                                long seen =
                                        heap.read(
                                                handle,
                                                bytes -> {
                                                    Await.open(mayLeave);
                                                    return bytes.get(ValueLayout.JAVA_LONG, 0);
                                                });
                                assertThat(seen).isEqualTo(5);
                            });
            FutureTask<Boolean> closed = closer.beginBlocking(heap::close);
            assertAllRefused(heap, handle);
            assertThat(closed.isDone()).isFalse();
            assertThat(pages.statistics().takenBytes()).isPositive();
            mayLeave.countDown();
            ScriptedThread.get(read);
            ScriptedThread.get(closed);
        }
        assertThat(pages.statistics().takenBytes()).isZero();
    }

    /** What is under way ends well or is refused. */
    @ParameterizedTest
    @MethodSource("io.polder.heap.space.HeapVariant#all")
    void close_whileAllIsUsed_refusesOrServes(HeapVariant variant) {
        for (int round = 0; round < 4; round++) {
            PageSpace pages = pages(256 * MIB);
            RelocatingHeap heap = heap(pages, variant.settings());
            long[] handles = objects(heap, 4000, 256);
            thin(heap, handles, 4);
            try (Workers workers = Workers.platform()) {
                workers.begin(() -> untilRefused(heap::compact));
                workers.begin(() -> untilRefused(() -> setWord(heap, handles[0], 0)));
                workers.begin(
                        () ->
                                untilRefused(
                                        () -> {
                                            long made = heap.allocate(word(NINE));
                                            assertThat(wordOf(heap, made)).isEqualTo(NINE);
                                            heap.free(made);
                                        }));
                Await.until(() -> heap.stats().cycles() >= 1);
                heap.close();
            }
            assertThat(pages.statistics().takenBytes()).isZero();
        }
    }

    private static void untilRefused(Runnable use) {
        try {
            while (true) {
                use.run();
            }
        } catch (IllegalStateException refused) {
            assertThat(refused).hasMessage("the heap is closed");
        }
    }

    /** What a closed pool promises: no memory any more, and nothing is taken away. */
    @ParameterizedTest
    @MethodSource("io.polder.heap.space.HeapVariant#policies")
    void poolClosed_nothingIsAllocatedAndAllElseGoesOn(HeapVariant variant) {
        PageSpace pages = pages(256 * MIB);
        RelocatingHeap heap = heap(pages, variant.settings());
        long[] handles = objects(heap, 3000, 3 * KIB);
        long medium = heap.allocate(3 * MIB);
        long large = heap.allocate(70 * MIB);
        thin(heap, handles, 4);
        pages.shut();
        assertAllocationRefused(heap);
        checkThinned(heap, handles, 4);
        assertServed(heap, handles[4]);
        assertServed(heap, medium);
        assertServed(heap, large);
        setWord(heap, handles[4], 4);
        assertThat(heap.compact()).as("into the room that it has").isNotNegative();
        assertThat(heap.compact()).isNotNegative();
        checkThinned(heap, handles, 4);
        heap.free(large);
        assertThat(heap.compact()).isGreaterThanOrEqualTo(70 * MIB);
        assertThat(heap.isLive(large)).isFalse();
        for (int i = 0; i < handles.length; i += 4) {
            heap.free(handles[i]);
        }
        assertAllocationRefused(heap);
        assertThat(heap.compact()).isPositive();
        assertThat(wordOf(heap, medium)).isEqualTo(NINE);
        assertThat(heap.stats().liveObjects()).isEqualTo(1);
        HeapCheck.verifyAtRest(space(heap));
        heap.close();
        assertAllRefused(heap, medium);
        assertThat(pages.statistics().takenBytes()).isZero();
    }

    private static void assertAllocationRefused(RelocatingHeap heap) {
        ThrowingCallable[] allocations = {
            () -> heap.allocate(0),
            () -> heap.allocate(8),
            () -> heap.allocate(word(1)),
            () -> heap.allocateAll(8, new long[0]),
            () -> heap.allocate(300 * KIB),
            () -> heap.allocate(3 * MIB),
            () -> heap.allocate(9 * MIB)
        };
        for (ThrowingCallable allocation : allocations) {
            assertThatIllegalStateException()
                    .isThrownBy(allocation)
                    .withMessageContaining("the pool is closed")
                    .isExactlyInstanceOf(IllegalStateException.class);
        }
    }

    /** Everything that can be done with an object, but for freeing it; leaves NINE in it. */
    private static void assertServed(RelocatingHeap heap, long handle) {
        setWord(heap, handle, 1);
        assertThat(wordOf(heap, handle)).isEqualTo(1);
        heap.put(handle, 0, word(NINE));
        assertThat(heap.toArray(handle)).hasSize((int) heap.size(handle)).startsWith((byte) NINE);
        byte[] copy = new byte[(int) heap.size(handle)];
        heap.get(handle, MemorySegment.ofArray(copy));
        assertThat(copy).startsWith((byte) NINE);
        assertThat(heap.isLive(handle)).isTrue();
        boolean[] named = new boolean[1];
        heap.forEach(each -> named[0] |= each == handle);
        assertThat(named[0]).isTrue();
    }

    /** Allocating in a function that uses an object of the heap. */
    @Test
    void poolClosedWhileInside_allocationIsRefusedAndTheSectionEnds() {
        PageSpace pages = pages(64 * MIB);
        RelocatingHeap heap = heap(pages, HeapVariant.USUAL.settings());
        long handle = heap.allocate(word(5));
        heap.update(
                handle,
                _ -> {
                    pages.shut();
                    assertAllocationRefused(heap);
                });
        assertThat(wordOf(heap, handle)).isEqualTo(5);
        heap.close();
        assertThat(pages.statistics().takenBytes()).isZero();
    }
}
