package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.Await;
import io.polder.arena.OtherThread;
import io.polder.gate.GateCheck;
import io.polder.gate.ScriptedThread;
import io.polder.heap.RelocatingHeap;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;

/** Threads that are interrupted, virtual, or end inside a function. */
class HeapThreadsTest extends HeapFixture {
    private static final int VIRTUAL = 500;

    /** An interrupt ends nothing, and is still there afterwards. */
    @ParameterizedTest
    @MethodSource("io.polder.heap.space.HeapVariant#all")
    void interrupted_allGoesOnAndStaysInterrupted(HeapVariant variant) {
        RelocatingHeap heap = heap(variant, 64 * MIB);
        long[] handles = objects(heap, 5000, 256);
        thin(heap, handles, 5);
        boolean stayed =
                OtherThread.platform(
                        () -> {
                            Thread.currentThread().interrupt();
                            heap.compact();
                            checkThinned(heap, handles, 5);
                            setWord(heap, handles[0], 0);
                            heap.free(heap.allocate(100));
                            heap.forEach(handle -> assertThat(heap.isLive(handle)).isTrue());
                            return Thread.currentThread().isInterrupted();
                        });
        assertThat(stayed).isTrue();
        assertThat(heap.stats().cycles()).isPositive();
    }

    /** Compaction and close that wait for a reader are interrupted, and wait on. */
    @ParameterizedTest
    @MethodSource("io.polder.heap.space.HeapVariant#policies")
    void interruptedWhileWaitingForAReader_waitsOn(HeapVariant variant) {
        RelocatingHeap heap = heap(variant, 64 * MIB);
        long[] handles = objects(heap, 5000, 256);
        thin(heap, handles, 5);
        CountDownLatch mayLeave = new CountDownLatch(1);
        try (ScriptedThread reader = ScriptedThread.platform();
                ScriptedThread compactor = ScriptedThread.platform();
                ScriptedThread closer = ScriptedThread.platform()) {
            FutureTask<Boolean> read =
                    reader.beginBlocking(
                            () -> heap.update(handles[0], _ -> awaitUninterruptibly(mayLeave)));
            FutureTask<Boolean> compacted = compactor.beginBlocking(heap::compact);
            reader.thread().interrupt();
            compactor.thread().interrupt();
            ScriptedThread.pause();
            assertThat(compacted.isDone()).isFalse();
            assertThat(heap.stats().cycles()).isZero();
            mayLeave.countDown();
            assertThat(ScriptedThread.get(read)).as("interrupted").isTrue();
            assertThat(ScriptedThread.get(compacted)).as("interrupted").isTrue();
            checkThinned(heap, handles, 5);

            CountDownLatch mayLeaveAgain = new CountDownLatch(1);
            read =
                    reader.beginBlocking(
                            () ->
                                    heap.update(
                                            handles[0], _ -> awaitUninterruptibly(mayLeaveAgain)));
            FutureTask<Boolean> closed = closer.beginBlocking(heap::close);
            closer.thread().interrupt();
            ScriptedThread.pause();
            assertThat(closed.isDone()).isFalse();
            mayLeaveAgain.countDown();
            ScriptedThread.get(read);
            assertThat(ScriptedThread.get(closed)).as("interrupted").isTrue();
        }
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        Await.until(() -> latch.getCount() == 0);
    }

    /** Far more virtual threads inside than carriers, each blocked and moved to another. */
    @ParameterizedTest
    @MethodSource("io.polder.heap.space.HeapVariant#policies")
    void virtualThreadsBlockedInside_areWaitedForAndReadOn(HeapVariant variant)
            throws InterruptedException {
        RelocatingHeap heap = heap(variant, 64 * MIB);
        long[] handles = objects(heap, VIRTUAL * 10, 256);
        thin(heap, handles, 10);
        CountDownLatch inside = new CountDownLatch(VIRTUAL);
        CountDownLatch mayLeave = new CountDownLatch(1);
        AtomicInteger right = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < VIRTUAL; i++) {
            int index = i * 10;
            threads.add(
                    Thread.ofVirtual()
                            .start(
                                    () -> {
                                        long seen =
                                                heap.read(
                                                        handles[index],
                                                        bytes -> {
                                                            inside.countDown();
                                                            awaitUninterruptibly(mayLeave);
                                                            return bytes.get(
                                                                    ValueLayout.JAVA_LONG, 0);
                                                        });
                                        right.addAndGet(seen == index ? 1 : 0);
                                    }));
        }
        Await.open(inside);
        try (ScriptedThread compactor = ScriptedThread.virtual()) {
            FutureTask<Boolean> compacted = compactor.beginBlocking(heap::compact);
            setWord(heap, handles[0], 0);
            assertThat(compacted.isDone()).isFalse();
            mayLeave.countDown();
            ScriptedThread.get(compacted);
        }
        for (Thread thread : threads) {
            Await.end(thread);
        }
        assertThat(right).hasValue(VIRTUAL);
        checkThinned(heap, handles, 10);
    }

    /** A thread that ends by an exception inside nested functions has left: nobody waits for it. */
    @ParameterizedTest
    @MethodSource("io.polder.heap.space.HeapVariant#policies")
    void threadEndsInsideNestedFunctions_hasLeft(HeapVariant variant) {
        RelocatingHeap heap = heap(variant, 64 * MIB);
        long[] handles = objects(heap, 5000, 256);
        thin(heap, handles, 5);
        for (int i = 0; i < 20; i++) {
            Throwable thrown =
                    OtherThread.thrownOnPlatform(
                            () ->
                                    heap.update(
                                            handles[0],
                                            _ ->
                                                    heap.update(
                                                            handles[5],
                                                            _ -> {
                                                                throw new IllegalArgumentException(
                                                                        "on purpose");
                                                            })));
            assertThat(thrown).hasMessage("on purpose");
        }
        heap.compact();
        assertThat(heap.stats().cycles()).isPositive();
        assertThat(heap.stats().longestInsideThread()).isNull();
        assertThat(GateCheck.endedInside(space(heap).access)).isZero();
        checkThinned(heap, handles, 5);
    }

    /** One that ends inside, which no function can bring about, is found by the waiter. */
    @ParameterizedTest
    @MethodSource("io.polder.heap.space.HeapVariant#policies")
    void threadEndsInsideTheGate_isNotWaitedFor(HeapVariant variant) {
        RelocatingHeap heap = heap(variant, 64 * MIB);
        long[] handles = objects(heap, 5000, 256);
        thin(heap, handles, 5);
        OtherThread.platform(
                () -> {
                    long _ = space(heap).access.accessor().begin();
                    return true;
                });
        heap.compact();
        assertThat(heap.stats().cycles()).isPositive();
        assertThat(GateCheck.endedInside(space(heap).access)).isEqualTo(1);
        checkThinned(heap, handles, 5);
    }
}
