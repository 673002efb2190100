package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.Await;
import io.polder.arena.Seed;
import io.polder.background.Background;
import io.polder.gate.ScriptedThread;
import io.polder.heap.HeapOptions;
import io.polder.heap.RelocatingHeap;

import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;

/** Readers that stay inside some heaps hold up the background for no other heap. */
class HeapHeldUpTest extends HeapFixture {
    private static final AtomicInteger TESTS = new AtomicInteger();
    private static final int OBJECTS = 3000;
    private static final int KEEP = 100;

    private final String name = "polder-held-up-of-test-" + TESTS.incrementAndGet();
    private final HeapThreads threads =
            new HeapThreads(new Background(name), new Background("room-of-" + name));
    private final List<ScriptedThread> guests = new ArrayList<>();

    private ScriptedThread guest(boolean virtual) {
        ScriptedThread made = virtual ? ScriptedThread.virtual() : ScriptedThread.platform();
        guests.add(made);
        return made;
    }

    private RelocatingHeap shared(HeapOptions options) {
        return heap(pages(256 * MIB), HeapVariant.USUAL.settings(options).withThreads(threads));
    }

    private long threadsNow() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(each -> each.getName().equals(name))
                .count();
    }

    /** A heap whose background has work to do, and a reader that keeps it from being done. */
    private final class Stuck {
        final RelocatingHeap heap;
        private final CountDownLatch mayLeave = new CountDownLatch(1);
        private final long[] handles;
        private final FutureTask<Boolean> read;
        private FutureTask<Boolean> compactor;

        Stuck(boolean virtual, boolean readsFirst) {
            compactor = new FutureTask<>(() -> true);
            compactor.run();
            heap = shared(HeapOptions.DEFAULT.withMaxBytes(16 * MIB));
            handles = objects(heap, OBJECTS, KIB);
            if (!readsFirst) {
                thin(heap, handles, KEEP);
            }
            read = guest(virtual).beginBlocking(() -> heap.read(handles[0], _ -> isOpen(mayLeave)));
            if (readsFirst) {
                thin(heap, handles, KEEP);
            } else {
                thin(heap, objects(heap, OBJECTS, KIB), OBJECTS);
            }
        }

        /** Has somebody wait for the reader who has the lock of the heap's compaction. */
        void compact(boolean full) {
            compactor = guest(false).beginBlocking(full ? this::fill : heap::compact);
        }

        private void fill() {
            List<Long> filling = new ArrayList<>();
            for (long handle; (handle = heap.tryAllocate(KIB)) != 0; ) {
                filling.add(handle);
            }
            filling.forEach(heap::free);
        }

        void leave() {
            mayLeave.countDown();
            ScriptedThread.get(read);
            ScriptedThread.get(compactor);
        }
    }

    private static boolean isOpen(CountDownLatch latch) {
        Await.open(latch);
        return true;
    }

    /** Returns when the background has given back all that was freed. */
    private static void isCompacted(RelocatingHeap heap) {
        for (int round = 0; round < 2; round++) {
            thin(heap, objects(heap, OBJECTS, KIB), OBJECTS);
            heap.free(heap.allocate(0));
            Await.until(() -> heap.stats().filledBytes() <= MIB);
        }
    }

    @RepeatedTest(4)
    void readersStayInSomeHeaps_theOthersAreCompacted() {
        long seed = Seed.get();
        Seed.naming(seed, () -> stayInSome(new SplittableRandom(seed)));
    }

    private void stayInSome(SplittableRandom random) {
        List<RelocatingHeap> others = new ArrayList<>();
        List<Stuck> stuck = new ArrayList<>();
        try {
            int count = 2 + random.nextInt(7);
            for (int i = 0; i < count; i++) {
                if (i > 0 && random.nextInt(3) == 0) {
                    others.add(shared(HeapOptions.DEFAULT));
                    continue;
                }
                Stuck made = new Stuck(random.nextInt(4) == 0, random.nextBoolean());
                stuck.add(made);
                if (random.nextInt(3) == 0) {
                    made.compact(random.nextBoolean());
                }
            }
            others.add(shared(HeapOptions.DEFAULT));
            for (RelocatingHeap each : others) {
                isCompacted(each);
                assertThat(threadsNow()).isBetween(1L, 2L * stuck.size() + 2);
            }
            for (Stuck each : stuck) {
                each.leave();
                isCompacted(each.heap);
            }
            for (RelocatingHeap each : others) {
                isCompacted(each);
            }
            Await.until(() -> threadsNow() <= 1);
        } finally {
            stuck.forEach(Stuck::leave);
            guests.forEach(ScriptedThread::close);
        }
    }

    @Test
    void close_heldUp_waitsAndOthersAreCompacted() {
        Stuck stuck = new Stuck(false, true);
        FutureTask<Boolean> closed = guest(false).beginBlocking(stuck.heap::close);
        isCompacted(shared(HeapOptions.DEFAULT));
        assertThat(closed.isDone()).isFalse();
        stuck.leave();
        ScriptedThread.get(closed);
        isCompacted(shared(HeapOptions.DEFAULT));
        guests.forEach(ScriptedThread::close);
    }
}
