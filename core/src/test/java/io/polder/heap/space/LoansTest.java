package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.polder.Await;
import io.polder.arena.Seed;
import io.polder.arena.TestScale;
import io.polder.gate.ScriptedThread;
import io.polder.heap.RelocatingHeap;
import io.polder.heap.StaleHandleException;
import io.polder.page.space.PageSpace;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Segments whose lifetime could not be closed: their regions stay, until nobody can reach them, and
 * nothing else does.
 */
class LoansTest extends HeapFixture {
    private static final int STEPS = TestScale.of(3000, 20_000);
    private static final byte OURS = '!';
    private static final long GRANULE = PageSpace.GRANULE_BYTES;

    /** One that keeps no region in reserve: so what it has is known exactly. */
    private RelocatingHeap exact(HeapVariant variant) {
        return heap(pages(512 * MIB), variant.settings());
    }

    /** The segment of an object, which lives on. */
    private static MemorySegment leaked(RelocatingHeap heap, long handle) {
        MemorySegment[] kept = new MemorySegment[1];
        assertThatIllegalStateException()
                .isThrownBy(
                        () ->
                                heap.update(
                                        handle,
                                        segment -> {
                                            AcquiredScope.leaveAcquired(segment);
                                            kept[0] = segment;
                                        }))
                .withMessageContaining("acquired");
        assertThat(kept[0].scope().isAlive()).isTrue();
        return kept[0];
    }

    private static void leakUnreachable(RelocatingHeap heap, long handle) {
        assertThat(leaked(heap, handle).byteSize()).isEqualTo(heap.size(handle));
    }

    /** Compacts again and again until the heap has so much, while the collector runs. */
    private static void awaitRegions(RelocatingHeap heap, long regionBytes) {
        long start = System.nanoTime();
        while (hasMore(heap, regionBytes)) {
            System.gc();
            long _ = heap.compact();
            assertThat(System.nanoTime() - start)
                    .as("%s", heap.stats())
                    .isLessThan(TimeUnit.SECONDS.toNanos(120));
        }
    }

    private static boolean hasMore(RelocatingHeap heap, long regionBytes) {
        return heap.stats().regionBytes() > regionBytes;
    }

    @ParameterizedTest
    @MethodSource("io.polder.heap.space.HeapVariant#policies")
    void segmentLives_onlyItsRegionStays_untilNobodyHasIt(HeapVariant variant) {
        RelocatingHeap heap = exact(variant);
        long[] handles = objects(heap, 20_000, KIB);
        @Nullable MemorySegment segment = leaked(heap, handles[7777]);
        for (long handle : handles) {
            heap.free(handle);
        }
        assertThat(heap.compact()).isPositive();
        assertThat(heap.stats().regionBytes()).isEqualTo(GRANULE);
        assertThat(heap.compact()).isZero();
        segment.fill(OURS);
        long[] others = objects(heap, 10_000, KIB);
        checkThinned(heap, others, 1);
        segment.fill(OURS);
        checkThinned(heap, others, 1);
        HeapCheck.verifyAtRest(space(heap));
        for (long handle : others) {
            heap.free(handle);
        }
        segment = null;
        awaitRegions(heap, 0);
        HeapCheck.verifyAtRest(space(heap));
    }

    /** More than there are spares, and nobody looks meanwhile. */
    @Test
    void manySegmentsLive_theirRegionsStay_andNoOthers() {
        RelocatingHeap heap = exact(HeapVariant.USUAL);
        int count = 5 * Loans.SPARES;
        List<MemorySegment> segments = new ArrayList<>();
        long[] handles = objects(heap, 20_000, KIB);
        for (int i = 0; i < count; i++) {
            segments.add(leaked(heap, handles[i]));
        }
        for (long handle : handles) {
            heap.free(handle);
        }
        assertThat(heap.compact()).isPositive();
        assertThat(heap.stats().regionBytes()).isEqualTo(GRANULE);
        segments.forEach(segment -> segment.fill(OURS));
        long[] others = objects(heap, 5000, KIB);
        checkThinned(heap, others, 1);
        for (long handle : others) {
            heap.free(handle);
        }
        segments.clear();
        awaitRegions(heap, 0);
        HeapCheck.verifyAtRest(space(heap));
    }

    /** It reads what is written, too, when its object has a page of its own. */
    @Test
    void segmentOfALargeObject_keepsItsPage() {
        RelocatingHeap heap = exact(HeapVariant.USUAL);
        long handle = heap.allocate(10 * MIB);
        @Nullable MemorySegment segment = leaked(heap, handle);
        heap.free(handle);
        assertThat(heap.compact()).isZero();
        long other = heap.allocate(10 * MIB);
        segment.fill(OURS);
        heap.read(other, bytes -> assertThat(bytes.mismatch(zeros(10 * MIB))).isEqualTo(-1));
        heap.free(other);
        assertThat(heap.compact()).isPositive();
        assertThat(heap.stats().regionBytes()).isEqualTo(12 * MIB);
        assertThat(segment.get(ValueLayout.JAVA_BYTE, 0)).isEqualTo(OURS);
        segment = null;
        awaitRegions(heap, 0);
    }

    private static MemorySegment zeros(long bytes) {
        return MemorySegment.ofArray(new byte[Math.toIntExact(bytes)]);
    }

    /**
     * Who enters while a cycle is under way finds the object where it was, and leaves while the
     * cycle waits for it, with all of the region copied: the segment comes to light after the cycle
     * has chosen what to give back.
     */
    @ParameterizedTest
    @MethodSource("io.polder.heap.space.HeapVariant#policies")
    void leakedAfterTheRegionWasEmptied_itStays(HeapVariant variant) {
        RelocatingHeap heap = exact(variant);
        long[] handles = objects(heap, 20_000, KIB);
        thin(heap, handles, 10);
        AtomicReference<@Nullable MemorySegment> kept = new AtomicReference<>();
        CountDownLatch entered = new CountDownLatch(1);
        try (Workers workers = Workers.platform()) {
            Thread compacting =
                    heap.read(
                            handles[0],
                            _ -> {
                                Thread thread = workers.begin(heap::compact);
                                awaitUnderWay(heap, handles[20]);
                                workers.begin(
                                        () -> leakWhenCopied(heap, handles[10], kept, entered));
                                Await.open(entered);
                                return thread;
                            });
            assertThat(compacting).isNotNull();
            workers.joinAllBut(0);
        }
        assertThat(Objects.requireNonNull(kept.get()).scope().isAlive()).isTrue();
        assertThat(HeapCheck.counts(space(heap)).evacuatedObjects()).isPositive();
        assertThat(heap.stats().givenBackBytes()).as("all others").isPositive();
        HeapCheck.verifyAtRest(space(heap));
        for (int i = 0; i < handles.length; i += 10) {
            heap.free(handles[i]);
        }
        long _ = heap.compact();
        assertThat(heap.stats().regionBytes()).as("its own region").isEqualTo(GRANULE);
        kept.set(null);
        awaitRegions(heap, 0);
    }

    private static void leakWhenCopied(
            RelocatingHeap heap,
            long handle,
            AtomicReference<@Nullable MemorySegment> kept,
            CountDownLatch entered) {
        assertThatIllegalStateException()
                .isThrownBy(
                        () ->
                                heap.read(
                                        handle,
                                        segment -> {
                                            entered.countDown();
                                            Await.until(
                                                    () ->
                                                            HeapCheck.counts(space(heap))
                                                                            .evacuatedObjects()
                                                                    >= 2000);
                                            AcquiredScope.leaveAcquired(segment);
                                            kept.set(segment);
                                            return 0;
                                        }));
    }

    /** An update pins its object as soon as a cycle is under way. */
    private void awaitUnderWay(RelocatingHeap heap, long handle) {
        while (HeapCheck.counts(space(heap)).pinnedObjects() == 0) {
            setWord(heap, handle, 20);
            ScriptedThread.pause();
        }
    }

    /** As threads in the queue for pages do again and again. */
    @Test
    void othersAskWithoutWaiting_allThatIsDeadIsLent_compactsInVainOnce() throws Exception {
        RelocatingHeap heap = heap(HeapVariant.USUAL, 7 * GRANULE);
        long large = heap.allocate(4 * GRANULE);
        @Nullable MemorySegment segment = leaked(heap, large);
        heap.free(large);
        RoomMaker room = space(heap).compactor.room;
        for (int i = 0; i < 10; i++) {
            assertThat(space(heap).makeRoom(GRANULE, false)).isFalse();
            while (room.isCompacting() || room.served < room.requested) {
                Thread.sleep(1);
            }
        }
        assertThat(room.begun).isEqualTo(1);
        assertThat(segment.byteSize()).isEqualTo(4 * GRANULE);
        segment = null;
        awaitRegions(heap, 0);
    }

    @Test
    void close_segmentLives_itsPageStaysUntilALaterClose() {
        PageSpace pages = pages(256 * MIB);
        RelocatingHeap heap = heap(pages, HeapVariant.USUAL.settings());
        long[] handles = objects(heap, 5000, KIB);
        @Nullable MemorySegment segment = leaked(heap, handles[0]);
        heap.close();
        assertThat(pages.statistics().takenBytes()).isEqualTo(GRANULE);
        assertThat(segment.get(ValueLayout.JAVA_LONG, 0)).isZero();
        segment.fill(OURS);
        heap.close();
        assertThat(pages.statistics().takenBytes()).isEqualTo(GRANULE);
        segment = null;
        long start = System.nanoTime();
        while (pages.statistics().takenBytes() > 0) {
            System.gc();
            heap.close();
            assertThat(System.nanoTime() - start).isLessThan(TimeUnit.SECONDS.toNanos(120));
        }
    }

    @ParameterizedTest
    @MethodSource("io.polder.heap.space.HeapVariant#all")
    void leakedAtRandom_nobodyElseIsOverwritten(HeapVariant variant) {
        long seed = Seed.get();
        Seed.naming(seed, () -> leakAtRandom(variant, new SplittableRandom(seed)));
    }

    private void leakAtRandom(HeapVariant variant, SplittableRandom random) {
        RelocatingHeap heap = exact(variant);
        Map<Long, byte[]> objects = new HashMap<>();
        List<Long> handles = new ArrayList<>();
        List<MemorySegment> segments = new ArrayList<>();
        Set<Long> leakedObjects = new HashSet<>();
        int leaksLeft = 5 + random.nextInt(10);
        int unreachable = 0;
        for (int step = 0; step < STEPS || leaksLeft > 0; step++) {
            int at = handles.isEmpty() ? -1 : random.nextInt(handles.size());
            int choice = random.nextInt(100);
            if (at < 0 || choice < 55) {
                long bytes = 1L + random.nextInt(random.nextInt(20) == 0 ? 250_000 : 2000);
                byte[] content = new byte[Math.toIntExact(bytes)];
                Arrays.fill(content, (byte) ('a' + random.nextInt(26)));
                long handle = heap.allocate(MemorySegment.ofArray(content));
                handles.add(handle);
                objects.put(handle, content);
            } else if (choice < 90) {
                long handle = handles.get(at);
                handles.set(at, handles.getLast());
                handles.removeLast();
                objects.remove(handle);
                heap.free(handle);
            } else if (choice < 96) {
                long _ = heap.compact();
            } else if (leaksLeft > 0) {
                leaksLeft--;
                long handle = handles.get(at);
                if (random.nextInt(4) == 0) {
                    leakUnreachable(heap, handle);
                    unreachable++;
                } else {
                    segments.add(leaked(heap, handle));
                    leakedObjects.add(handle);
                }
            }
            if (step % 200 == 0) {
                segments.forEach(segment -> segment.fill(OURS));
            }
        }
        segments.forEach(segment -> segment.fill(OURS));
        for (long handle : handles) {
            if (!leakedObjects.contains(handle)) {
                assertThat(heap.toArray(handle)).isEqualTo(objects.get(handle));
            }
            heap.free(handle);
        }
        awaitRegions(heap, segments.size() * GRANULE);
        segments.forEach(segment -> segment.fill(OURS));
        assertThat(segments.size() + unreachable).isGreaterThanOrEqualTo(5);
        assertThatExceptionOfType(StaleHandleException.class).isThrownBy(() -> heap.size(0));
        HeapCheck.verifyAtRest(space(heap));
        segments.clear();
        awaitRegions(heap, 0);
    }
}
