package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.polder.arena.Seed;
import io.polder.heap.HeapOptions;
import io.polder.heap.RelocatingHeap;
import io.polder.heap.StaleHandleException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;

/** What lives beside each other is named together, and nothing else is. */
class RegionWalkTest extends HeapFixture {
    private static final int GROUP = 50;

    /** All that is named in one go. */
    private static List<Long> walk(RelocatingHeap heap, int group) {
        List<Long> named = new ArrayList<>();
        long[] handles = new long[group];
        long position = 0;
        while (true) {
            long next = heap.nextOldest(position, handles);
            if (next == position) {
                assertThat(handles).containsOnly(0);
                return named;
            }
            assertThat(next).isGreaterThan(position);
            position = next;
            for (long handle : handles) {
                if (handle != 0) {
                    named.add(handle);
                }
            }
        }
    }

    private static long fullRegionsObjects(long bytes, int regions) {
        return regions * RegionType.SMALL.bytes / ObjectLayout.footprint(bytes);
    }

    @ParameterizedTest
    @ValueSource(longs = {24, 1000, 250_000})
    void walk_fullRegions_namesEachObjectOnceInTheirOrder(long bytes) {
        RelocatingHeap heap = heap();
        long[] handles = objects(heap, (int) fullRegionsObjects(bytes, 6), bytes);
        List<Long> named = walk(heap, GROUP);
        assertThat(named).doesNotHaveDuplicates();
        assertThat((double) named.size()).isGreaterThan(0.6 * handles.length);
        List<Long> expected = new ArrayList<>();
        Set<Long> all = new HashSet<>(named);
        for (long handle : handles) {
            if (all.contains(handle)) {
                expected.add(handle);
            }
        }
        assertThat(named).as("in the order of allocation").isEqualTo(expected);
        assertThat(walk(heap, 1)).isEqualTo(named);
        assertThat(walk(heap, 100_000)).isEqualTo(named);
    }

    @Test
    void walk_someFreed_namesTheOthers() {
        RelocatingHeap heap = heap();
        long[] handles = objects(heap, 30_000, 500);
        Set<Long> before = new HashSet<>(walk(heap, GROUP));
        for (int i = 0; i < handles.length; i += 20) {
            heap.free(handles[i]);
            before.remove(handles[i]);
        }
        assertThat(new HashSet<>(walk(heap, GROUP))).isEqualTo(before);
    }

    @Test
    void walk_largeObject_isNamed() {
        RelocatingHeap heap = heap();
        long large = heap.allocate(MEDIUM_MAX + 100_000);
        long larger = heap.allocate(ObjectLayout.SHORT_MAX_BYTES + 10);
        assertThat(walk(heap, GROUP)).containsExactly(large, larger);
    }

    @Test
    void walk_afterCompaction_namesWhatWasCopiedLast() {
        RelocatingHeap heap = heap();
        long[] handles = objects(heap, 60_000, 500);
        thin(heap, handles, 4);
        long _ = heap.compact();
        List<Long> named = walk(heap, GROUP);
        assertThat(named).doesNotHaveDuplicates().allMatch(heap::isLive).isNotEmpty();
        checkThinned(heap, handles, 4);
    }

    @Test
    void walk_emptyHeapOrNoRoom_namesNothing() {
        RelocatingHeap heap = heap();
        assertThat(walk(heap, GROUP)).isEmpty();
        objects(heap, 30_000, 500);
        assertThat(heap.nextOldest(0, new long[0])).isZero();
    }

    @Test
    void walk_badPositionOrClosedHeap_isRefused() {
        RelocatingHeap heap = heap();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> heap.nextOldest(-1, new long[1]))
                .withMessage("0 <= position: position=-1");
        assertThat(heap.nextOldest(Long.MAX_VALUE, new long[1])).isEqualTo(Long.MAX_VALUE);
        heap.close();
        assertThatIllegalStateException()
                .isThrownBy(() -> heap.nextOldest(0, new long[1]))
                .withMessage("the heap is closed");
    }

    /** Bytes of objects may look like headers. */
    @Test
    void walk_positionsThatWereNeverGiven_nameLiveObjectsOrNone() throws Exception {
        long seed = Seed.get();
        Seed.naming(
                seed,
                () -> {
                    SplittableRandom random = new SplittableRandom(seed);
                    RelocatingHeap heap = heap();
                    Set<Long> live = new HashSet<>();
                    for (int i = 0; i < 20_000; i++) {
                        long handle = heap.allocate(random.nextInt(1200));
                        heap.update(
                                handle,
                                bytes -> {
                                    for (long at = 0; at < bytes.byteSize(); at++) {
                                        bytes.set(
                                                ValueLayout.JAVA_BYTE,
                                                at,
                                                (byte)
                                                        (random.nextBoolean()
                                                                ? -1
                                                                : random.nextInt()));
                                    }
                                });
                        live.add(handle);
                    }
                    long[] handles = new long[20];
                    for (int i = 0; i < 20_000; i++) {
                        long position = random.nextLong(8) << 22 | random.nextInt(1 << 19);
                        long next = heap.nextOldest(position, handles);
                        assertThat(next).isGreaterThanOrEqualTo(position);
                        for (long handle : handles) {
                            assertThat(handle == 0 || live.contains(handle)).isTrue();
                        }
                    }
                });
    }

    /** Others allocate, free and compact. */
    @Test
    void walk_whileEverythingMoves_namesWhatLivedAMomentAgo() throws Exception {
        RelocatingHeap heap =
                heap(
                        pages(64 * MIB),
                        HeapVariant.USUAL
                                .settings(HeapOptions.DEFAULT.withCompactionShare(0.5))
                                .withReserve(true));
        AtomicLong freed = new AtomicLong();
        try (Workers workers = Workers.platform()) {
            for (int t = 0; t < 2; t++) {
                SplittableRandom random = new SplittableRandom(t);
                workers.begin(
                        () -> {
                            for (int i = 0; i < 200_000; i++) {
                                long handle = heap.tryAllocate(8 + random.nextInt(500));
                                if (handle != 0) {
                                    setWord(heap, handle, handle);
                                }
                            }
                        });
            }
            workers.begin(
                    () -> {
                        long[] handles = new long[GROUP];
                        long position = 0;
                        while (freed.get() < 100_000) {
                            long next = heap.nextOldest(position, handles);
                            position = next == position ? 0 : next;
                            for (long handle : handles) {
                                freed.addAndGet(handle == 0 ? 0 : free(heap, handle));
                            }
                        }
                    });
        }
        assertThat(freed.get()).isGreaterThanOrEqualTo(100_000);
        heap.forEach(handle -> assertThat(wordOf(heap, handle)).isIn(0L, handle));
    }

    private static int free(RelocatingHeap heap, long handle) {
        try {
            long word = heap.getLong(handle, 0);
            assertThat(word).isIn(0L, handle);
            heap.free(handle);
            return 1;
        } catch (StaleHandleException byCompetitor) {
            return 0;
        }
    }
}
