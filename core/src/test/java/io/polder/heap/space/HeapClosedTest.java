package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.polder.gate.Guest;
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
            () -> heap.free(handle),
            () -> heap.read(handle, MemorySegment::byteSize),
            () -> heap.update(handle, _ -> {}),
            () -> heap.get(handle, word(0)),
            () -> heap.put(handle, word(0)),
            () -> heap.toArray(handle),
            () -> heap.size(handle),
            () -> heap.isLive(handle),
            () -> heap.forEach(_ -> {}),
            heap::compact,
            heap::trim
        };
        for (ThrowingCallable use : uses) {
            assertThatIllegalStateException()
                    .isThrownBy(use)
                    .withMessage("the heap is closed")
                    .isExactlyInstanceOf(IllegalStateException.class);
        }
    }

    @ParameterizedTest
    @MethodSource("io.polder.heap.space.HeapVariant#succeeding")
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
    @MethodSource("io.polder.heap.space.HeapVariant#succeeding")
    void close_somebodyInside_waitsForThem(HeapVariant variant) {
        PageSpace pages = pages(256 * MIB);
        RelocatingHeap heap = heap(pages, variant.settings());
        long handle = heap.allocate(word(5));
        CountDownLatch mayLeave = new CountDownLatch(1);
        try (Guest reader = Guest.platform();
                Guest closer = Guest.platform()) {
            FutureTask<Boolean> read =
                    reader.beginBlocking(
                            () -> {
                                long seen =
                                        heap.read(
                                                handle,
                                                bytes -> {
                                                    await(mayLeave);
                                                    return bytes.get(ValueLayout.JAVA_LONG, 0);
                                                });
                                assertThat(seen).isEqualTo(5);
                            });
            FutureTask<Boolean> closed = closer.beginBlocking(heap::close);
            assertAllRefused(heap, handle);
            assertThat(closed.isDone()).isFalse();
            assertThat(pages.statistics().takenBytes()).isPositive();
            mayLeave.countDown();
            Guest.get(read);
            Guest.get(closed);
        }
        assertThat(pages.statistics().takenBytes()).isZero();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError("nobody interrupts tests", e);
        }
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
            try (Crew crew = Crew.platform()) {
                crew.begin(() -> untilRefused(heap::compact));
                crew.begin(() -> untilRefused(() -> setWord(heap, handles[0], 0)));
                crew.begin(
                        () ->
                                untilRefused(
                                        () -> {
                                            long made = heap.allocate(word(NINE));
                                            assertThat(wordOf(heap, made)).isEqualTo(NINE);
                                            heap.free(made);
                                        }));
                while (heap.stats().cycles() < 1) {
                    Thread.onSpinWait();
                }
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
}
