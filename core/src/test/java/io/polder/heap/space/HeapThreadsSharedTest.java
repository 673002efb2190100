package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.Await;
import io.polder.background.Background;
import io.polder.gate.ScriptedThread;
import io.polder.heap.HeapOptions;
import io.polder.heap.RelocatingHeap;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** Heaps at rest, and the threads that they share. */
class HeapThreadsSharedTest extends HeapFixture {
    private static final AtomicInteger TESTS = new AtomicInteger();
    private static final long LIMIT = 16 * MIB;

    private final String name = "polder-heap-of-test-" + TESTS.incrementAndGet();
    private final HeapThreads threads =
            new HeapThreads(new Background(name), new Background(name + "-room"));

    private RelocatingHeap shared(HeapOptions options) {
        return heap(pages(256 * MIB), HeapVariant.USUAL.settings(options).withThreads(threads));
    }

    private static void awaitNoRegions(RelocatingHeap heap) {
        Await.until(() -> heap.stats().regionBytes() <= 0);
    }

    @Test
    void nothingLives_allRegionsGoBack() {
        RelocatingHeap heap = shared(HeapOptions.DEFAULT.withCompactionShare(1));
        List<Long> handles = new ArrayList<>();
        long[] sizes = {100, 60_000, 300_000, 700_000, 1_500_000, 3_000_000, 5_000_000};
        for (int i = 0; i < 100; i++) {
            handles.add(heap.allocate(sizes[i % sizes.length]));
        }
        Collections.shuffle(handles, new Random(1));
        handles.forEach(heap::free);
        awaitNoRegions(heap);
        heap.free(heap.allocate(100));
        awaitNoRegions(heap);
    }

    /** The thread does not wait until the heap has its share again. */
    @Test
    void anotherHasNearlyNoShare_allRegionsGoBack() {
        RelocatingHeap other = shared(HeapOptions.DEFAULT.withCompactionShare(1e-7));
        long[] handles = objects(other, 100_000, 200);
        thin(other, handles, 2);
        Await.until(() -> other.stats().cycles() != 0);
        RelocatingHeap heap = shared(HeapOptions.DEFAULT);
        for (int i = 0; i < 10; i++) {
            List<Long> more = new ArrayList<>();
            for (int j = 0; j < 1000; j++) {
                more.add(heap.allocate(1000));
            }
            more.forEach(heap::free);
            awaitNoRegions(heap);
        }
        checkThinned(other, handles, 2);
        assertThat(other.compact()).isPositive();
    }

    /** With a reserve as well. */
    @Test
    void nothingLivesInALimitedPool_allRegionsGoBack() {
        RelocatingHeap heap =
                heap(
                        pages(64 * MIB),
                        HeapVariant.USUAL
                                .settings(HeapOptions.DEFAULT.withCompactionShare(1))
                                .withReserve(true));
        for (long handle : objects(heap, 20_000, KIB)) {
            heap.free(handle);
        }
        awaitNoRegions(heap);
    }

    @Test
    void manyHeaps_haveOneThread() {
        List<RelocatingHeap> heaps = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            RelocatingHeap heap = shared(HeapOptions.DEFAULT);
            heaps.add(heap);
            thin(heap, objects(heap, 3000, KIB), 3000);
        }
        while (heaps.stream().anyMatch(heap -> heap.stats().filledBytes() > MIB)) {
            assertThat(threadsNow()).hasSizeLessThanOrEqualTo(1);
            ScriptedThread.pause();
        }
    }

    private List<String> threadsNow() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(each -> each.startsWith(name))
                .toList();
    }

    /** A reader that holds up one full heap does not hold up another. */
    @Test
    void fullHeapIsHeldUp_anotherHasRoomMade() throws InterruptedException {
        RelocatingHeap stuck = full();
        RelocatingHeap other = full();
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        long read = stuck.allocate(0);
        Thread reader =
                Thread.ofPlatform()
                        .start(
                                () ->
                                        stuck.read(
                                                read,
                                                _ -> {
                                                    inside.countDown();
                                                    Await.open(goOn);
                                                    return true;
                                                }));
        Await.open(inside);
        Thread allocating =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    while (goOn.getCount() > 0) {
                                        long _ = stuck.tryAllocate(KIB);
                                    }
                                });
        for (int i = 0; i < 3000; i++) {
            assertThat(other.tryAllocate(KIB)).isNotZero();
        }
        goOn.countDown();
        Await.end(reader);
        Await.end(allocating);
    }

    /** Every second object in it is dead. */
    private RelocatingHeap full() {
        RelocatingHeap heap =
                shared(HeapOptions.DEFAULT.withMaxBytes(LIMIT).withCompactionShare(0));
        List<Long> handles = new ArrayList<>();
        for (long handle; (handle = heap.tryAllocate(KIB)) != 0; ) {
            handles.add(handle);
        }
        for (int i = 1; i < handles.size(); i += 2) {
            heap.free(handles.get(i));
        }
        return heap;
    }
}
