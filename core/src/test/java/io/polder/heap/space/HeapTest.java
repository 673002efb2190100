package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.polder.Paint;
import io.polder.arena.OtherThread;
import io.polder.heap.HeapStatistics;
import io.polder.heap.RelocatingHeap;
import io.polder.page.space.PageSpace;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What a heap does for one thread that uses it well, or nearly. */
class HeapTest extends HeapFixture {
    private final RelocatingHeap heap = heap();

    @ParameterizedTest
    @ValueSource(
            longs = {
                0,
                1,
                7,
                8,
                9,
                4095,
                SMALL_MAX - 8,
                SMALL_MAX - 7,
                SMALL_MAX,
                MIB,
                2 * MIB,
                MEDIUM_MAX - 8,
                MEDIUM_MAX - 7,
                MEDIUM_MAX,
                (1 << 24) - 3,
                (1 << 24) - 2,
                (1 << 24) - 1,
                1 << 24,
                32 * MIB,
                96 * MIB
            })
    void anySize_isZeroThenWhatWasWritten(long bytes) {
        long before = heap.allocate(word(1));
        long handle = heap.allocate(bytes);
        long after = heap.allocate(word(2));
        assertThat(heap.size(handle)).isEqualTo(bytes);
        assertThat(heap.<Boolean>read(handle, Paint::isZero)).isTrue();
        heap.update(handle, segment -> segment.fill((byte) 0x5a));
        long sparse = heap.allocate(100);
        heap.free(sparse);
        heap.compact();
        heap.read(
                handle,
                segment -> {
                    assertThat(segment.byteSize()).isEqualTo(bytes);
                    if (bytes > 0) {
                        byte last = segment.get(ValueLayout.JAVA_BYTE, bytes - 1);
                        assertThat(last).isEqualTo((byte) 0x5a);
                        MemorySegment rest = segment.asSlice(1);
                        assertThat(segment.asSlice(0, bytes - 1).mismatch(rest)).isEqualTo(-1);
                    }
                    assertThat(segment.address() % 8).isZero();
                    return 0;
                });
        assertThat(wordOf(heap, before)).isEqualTo(1);
        assertThat(wordOf(heap, after)).isEqualTo(2);
        heap.free(handle);
        heap.compact();
        assertThat(HeapCheck.statsAtRest(space(heap)).liveObjects()).isEqualTo(2);
    }

    @Test
    void getAndPut_copyExactlyTheObject() {
        long handle = heap.allocate(MemorySegment.ofArray(new byte[] {1, 2, 3, 4, 5}));
        assertThat(heap.toArray(handle)).containsExactly(1, 2, 3, 4, 5);
        byte[] larger = {9, 9, 9, 9, 9, 9, 9};
        heap.get(handle, MemorySegment.ofArray(larger));
        assertThat(larger).containsExactly(1, 2, 3, 4, 5, 9, 9);
        heap.put(handle, 0, MemorySegment.ofArray(new byte[] {7, 8}));
        assertThat(heap.toArray(handle)).containsExactly(7, 8, 3, 4, 5);
        heap.put(handle, 0, MemorySegment.ofArray(new byte[0]));
        assertThat(heap.toArray(handle)).containsExactly(7, 8, 3, 4, 5);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment exact = arena.allocate(5);
            heap.get(handle, exact);
            assertThat(exact.get(ValueLayout.JAVA_BYTE, 4)).isEqualTo((byte) 5);
        }
    }

    /** An object next to it shows what is written beyond. */
    @Test
    void getAndPut_doNotFit_changeNothing() {
        long handle = heap.allocate(word(0x0102030405060708L));
        long next = heap.allocate(word(-1));
        byte[] small = {5, 5, 5};
        assertThatExceptionOfType(IndexOutOfBoundsException.class)
                .isThrownBy(() -> heap.get(handle, 6, MemorySegment.ofArray(small)));
        assertThat(small).containsExactly(5, 5, 5);
        assertThat(heap.get(handle, MemorySegment.ofArray(small))).isEqualTo(8);
        assertThat(small).containsExactly(8, 7, 6);
        assertThatExceptionOfType(IndexOutOfBoundsException.class)
                .isThrownBy(() -> heap.put(handle, 0, MemorySegment.ofArray(new byte[9])))
                .withMessage("an access must be within the object: offset=0, bytes=9, size=8");
        assertThat(wordOf(heap, handle)).isEqualTo(0x0102030405060708L);
        assertThat(wordOf(heap, next)).isEqualTo(-1);
    }

    @Test
    void getAndPut_segmentsThatCannotBeUsed_areRefused() {
        long handle = heap.allocate(word(3));
        MemorySegment dead;
        try (Arena arena = Arena.ofConfined()) {
            dead = arena.allocate(8);
            MemorySegment foreign = dead;
            assertThat(OtherThread.thrownOnPlatform(() -> heap.get(handle, foreign)))
                    .isInstanceOf(WrongThreadException.class);
            assertThat(OtherThread.thrownOnPlatform(() -> heap.put(handle, 0, foreign)))
                    .isInstanceOf(WrongThreadException.class);
        }
        assertThatIllegalStateException().isThrownBy(() -> heap.get(handle, dead));
        assertThatIllegalStateException().isThrownBy(() -> heap.put(handle, 0, dead));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> heap.get(handle, word(0).asReadOnly()))
                .withMessageContaining("read-only");
        assertThat(wordOf(heap, handle)).isEqualTo(3);
        assertThat(heap.compact()).isNotNegative();
    }

    /** A segment of one object is copied to another, also inside a function. */
    @Test
    void copyFromObjectToObject_works() {
        long from = heap.allocate(word(77));
        long to = heap.allocate(8);
        heap.read(
                from,
                bytes -> {
                    heap.put(to, 0, bytes);
                    return 0;
                });
        assertThat(wordOf(heap, to)).isEqualTo(77);
        long copy = heap.<Long>read(from, bytes -> heap.allocate(bytes));
        assertThat(wordOf(heap, copy)).isEqualTo(77);
    }

    @Test
    void read_returnsWhatTheFunctionDoes_nullToo() {
        long handle = heap.allocate(word(1));
        String result = heap.read(handle, bytes -> "bytes: " + bytes.byteSize());
        assertThat(result).isEqualTo("bytes: 8");
        Object nothing = heap.<@Nullable Object>read(handle, _ -> null);
        assertThat(nothing).isNull();
    }

    @Test
    void forEach_namesAllThatAreLive() {
        Set<Long> live = new HashSet<>();
        List<Long> freed = new ArrayList<>();
        for (int i = 0; i < 3000; i++) {
            long handle = heap.allocate(i % 100);
            if (i % 3 == 0) {
                freed.add(handle);
            } else {
                live.add(handle);
            }
        }
        freed.forEach(heap::free);
        Set<Long> met = new HashSet<>();
        heap.forEach(handle -> assertThat(met.add(handle)).isTrue());
        assertThat(met).isEqualTo(live);
    }

    @Test
    void statistics_countWhatIsThere() {
        HeapStatistics empty = heap.stats();
        assertThat(empty.liveObjects()).isZero();
        assertThat(empty.regionBytes()).isZero();
        long[] handles = objects(heap, 1000, 100);
        HeapFigures full = space(heap).stats();
        assertThat(full.liveObjects()).isEqualTo(1000);
        assertThat(full.liveBytes()).isEqualTo(1000 * (8 + 104));
        assertThat(full.filledBytes()).isEqualTo(full.liveBytes());
        assertThat(full.regionBytes()).isEqualTo(2 * MIB);
        assertThat(HeapCheck.counts(space(heap)).regions()).isEqualTo(1);
        assertThat(full.tableBytes()).isEqualTo(2 * MIB);
        thin(heap, handles, 2);
        assertThat(HeapCheck.statsAtRest(space(heap)).liveBytes()).isEqualTo(500 * (8 + 104));
        assertThat(heap.stats().filledBytes()).isEqualTo(full.filledBytes());
        heap.compact();
        assertThat(HeapCheck.statsAtRest(space(heap)).liveObjects()).isEqualTo(500);
        checkThinned(heap, handles, 2);
    }

    /** All that is left after a purge is what lives, its handles, and less than two pages more. */
    @Test
    void compact_afterAPurge_givesTheMemoryBack() {
        long[] handles = objects(heap, 100_000, 200);
        long before = heap.stats().regionBytes();
        thin(heap, handles, 50);
        long givenBack = heap.compact();
        HeapStatistics after = heap.stats();
        assertThat(givenBack).isGreaterThan(before / 2);
        assertThat(after.regionBytes()).isLessThanOrEqualTo(after.liveBytes() + 4 * MIB);
        assertThat(after.givenBackBytes()).isPositive();
        assertThat(heap.compact()).as("nothing is left to do").isZero();
        checkThinned(heap, handles, 50);
    }

    @Test
    void compact_thenTrim_givesThePoolsMemoryBack() {
        PageSpace pages = pages(1024 * MIB);
        RelocatingHeap heap = heap(pages, HeapVariant.USUAL.settings());
        long[] handles = objects(heap, 50_000, 200);
        for (long handle : handles) {
            heap.free(handle);
        }
        long _ = heap.compact();
        assertThat(pages.trim()).isGreaterThan(8 * MIB);
        assertThat(HeapCheck.counts(space(heap)).regions()).isLessThanOrEqualTo(2);
    }

    /** As where an object finds room elsewhere meanwhile. */
    @Test
    void compact_regionWasOpenedForNothing_givesItBack() {
        RelocatingHeap exact = heap(pages(64 * MIB), HeapVariant.USUAL.settings());
        assertThat(space(exact).allocator.open(RegionType.SMALL, 100, 0)).isNull();
        assertThat(exact.stats().regionBytes()).isEqualTo(RegionType.SMALL.bytes);
        assertThat(exact.compact()).isEqualTo(RegionType.SMALL.bytes);
        assertThat(exact.stats().regionBytes()).isZero();
        exact.free(exact.allocate(word(1)));
    }
}
