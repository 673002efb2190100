package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.polder.Paint;
import io.polder.arena.OtherThread;
import io.polder.heap.HeapOptions;
import io.polder.heap.RelocatingHeap;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A heap without room, and requests that no heap can fulfil. */
class HeapFullTest extends HeapFixture {
    private static final long LIMIT = 16 * MIB;

    /** What is in the way. */
    enum Limit {
        OF_THE_HEAP("heapMaxBytes="),
        OF_THE_POOL("committedMaxBytes=");

        private final String named;

        Limit(String named) {
            this.named = named;
        }

        RelocatingHeap open(HeapFixture fixture) {
            return open(fixture, LIMIT);
        }

        RelocatingHeap open(HeapFixture fixture, long bytes) {
            HeapOptions options = HeapOptions.DEFAULT.withCompactionShare(0);
            return this == OF_THE_HEAP
                    ? fixture.heap(
                            fixture.pages(4 * bytes),
                            HeapVariant.USUAL.settings(options.withMaxBytes(bytes)))
                    : fixture.heap(HeapVariant.USUAL, bytes);
        }
    }

    /** Allocates objects that begin with their index until there is no room. */
    private static List<Long> fill(RelocatingHeap heap, long bytes, Limit limit) {
        return fill(heap, bytes, limit, LIMIT);
    }

    private static List<Long> fill(RelocatingHeap heap, long bytes, Limit limit, long limitBytes) {
        List<Long> handles = new ArrayList<>();
        while (true) {
            try {
                handles.add(heap.allocate(bytes));
            } catch (OutOfMemoryError full) {
                assertThat(full)
                        .hasMessageContaining("must stay within its limit")
                        .hasMessageContaining(limit.named + limitBytes)
                        .hasMessageContaining("requestedBytes=");
                break;
            }
            setWord(heap, handles.getLast(), handles.size() - 1);
        }
        check(heap, handles, 1);
        return handles;
    }

    private static void check(RelocatingHeap heap, List<Long> handles, int step) {
        for (int i = 0; i < handles.size(); i += step) {
            assertThat(wordOf(heap, handles.get(i))).isEqualTo(i);
        }
    }

    @ParameterizedTest
    @EnumSource
    void full_isRefusedWithTheLimitAndNothingIsLost(Limit limit) {
        RelocatingHeap heap = limit.open(this);
        List<Long> handles = fill(heap, KIB, limit);
        assertThat(handles.size() * KIB).isGreaterThan(LIMIT / 2);
        assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> heap.allocate(KIB));
        assertThatExceptionOfType(OutOfMemoryError.class)
                .isThrownBy(() -> heap.allocate(MemorySegment.ofArray(new byte[1024])));
        check(heap, handles, 1);
        HeapCheck.verifyAtRest(space(heap));
    }

    @ParameterizedTest
    @EnumSource
    void tryAllocate_full_saysSoWithoutAnError(Limit limit) {
        RelocatingHeap heap = limit.open(this);
        List<Long> handles = new ArrayList<>();
        for (long next = heap.tryAllocate(KIB); next != 0; next = heap.tryAllocate(KIB)) {
            handles.add(next);
            setWord(heap, next, handles.size() - 1);
        }
        assertThat(handles.size() * KIB).isGreaterThan(LIMIT / 2);
        MemorySegment content = MemorySegment.ofArray(new byte[] {1, 2, 3});
        assertThat(heap.tryAllocate(MemorySegment.ofArray(new byte[1024]))).isZero();
        check(heap, handles, 1);
        handles.reversed().subList(0, handles.size() / 2).forEach(heap::free);
        long copy = heap.tryAllocate(content);
        assertThat(heap.toArray(copy)).containsExactly(1, 2, 3);
        check(heap, handles.subList(0, handles.size() / 2), 1);
        assertThatIllegalArgumentException().isThrownBy(() -> heap.tryAllocate(-1));
        HeapCheck.verifyAtRest(space(heap));
    }

    @ParameterizedTest
    @EnumSource
    void full_thenFreed_hasRoomAgain(Limit limit) {
        RelocatingHeap heap = limit.open(this);
        List<Long> handles = fill(heap, KIB, limit);
        for (int i = 0; i < handles.size(); i++) {
            if (i >= handles.size() / 2) {
                heap.free(handles.get(i));
            }
        }
        List<Long> kept = handles.subList(0, handles.size() / 2);
        for (int round = 0; round < 3; round++) {
            List<Long> more = fill(heap, KIB, limit);
            assertThat(more.size()).isGreaterThan(handles.size() / 4);
            check(heap, kept, 1);
            more.forEach(heap::free);
        }
    }

    /** Half of it is garbage, and no region is without it. */
    @ParameterizedTest
    @EnumSource
    void garbageSpreadEvenly_isCompactedForAllocations(Limit limit) {
        RelocatingHeap heap = limit.open(this);
        List<Long> handles = fill(heap, KIB, limit);
        for (int i = 1; i < handles.size(); i += 2) {
            heap.free(handles.get(i));
        }
        List<Long> more = fill(heap, KIB, limit);
        assertThat(more.size())
                .as("of %d freed", handles.size() / 2)
                .isGreaterThan(handles.size() / 4);
        assertThat(heap.stats().cycles()).isPositive();
        check(heap, handles, 2);
    }

    /**
     * The same for objects of each type of region: as much as was freed can be allocated again, but
     * for a region or two.
     */
    @ParameterizedTest
    @MethodSource("mediumSizes")
    void garbageOfMediumObjects_isCompactedForAllocations(
            Limit limit, long limitBytes, long bytes, RegionType type) {
        assertThat(RegionType.of(ObjectLayout.footprint(bytes))).isEqualTo(type);
        RelocatingHeap heap = limit.open(this, limitBytes);
        List<Long> handles = fill(heap, bytes, limit, limitBytes);
        long perRegion = type.bytes / ObjectLayout.footprint(bytes);
        assertThat(handles.size()).isGreaterThanOrEqualTo((int) (2 * perRegion));
        int freed = 0;
        for (int i = 0; i < handles.size(); i++) {
            if (i % 3 != 0) {
                heap.free(handles.get(i));
                freed++;
            }
        }
        List<Long> more = fill(heap, bytes, limit, limitBytes);
        assertThat(more.size())
                .as("of %d freed", freed)
                .isGreaterThanOrEqualTo((int) (freed - 2 * perRegion));
        assertThat(more.size()).isPositive();
        assertThat(heap.stats().cycles()).isPositive();
        check(heap, handles, 3);
        HeapCheck.verifyAtRest(space(heap));
    }

    static Stream<Arguments> mediumSizes() {
        return Stream.of(Limit.values())
                .flatMap(
                        limit ->
                                Stream.of(
                                        arguments(limit, LIMIT, SMALL_MAX - 8, RegionType.SMALL),
                                        arguments(limit, LIMIT, 300 * KIB, RegionType.MEDIUM_4),
                                        arguments(limit, 64 * MIB, 300 * KIB, RegionType.MEDIUM_4),
                                        arguments(limit, 128 * MIB, 700 * KIB, RegionType.MEDIUM_8),
                                        arguments(
                                                limit, 256 * MIB, 1536 * KIB, RegionType.MEDIUM_16),
                                        arguments(
                                                limit, 320 * MIB, 3 * MIB, RegionType.MEDIUM_32)));
    }

    /** Objects of several types: what is copied to may be of another type than what is copied. */
    @ParameterizedTest
    @EnumSource
    void garbageOfAllKinds_isCompactedForAllocations(Limit limit) {
        long limitBytes = 128 * MIB;
        RelocatingHeap heap = limit.open(this, limitBytes);
        long[] sizes = {KIB, 300 * KIB, 700 * KIB, 100 * KIB, 1500 * KIB};
        List<Long> handles = new ArrayList<>();
        assertThatExceptionOfType(OutOfMemoryError.class)
                .isThrownBy(
                        () -> {
                            while (true) {
                                int i = handles.size();
                                handles.add(heap.allocate(sizes[i % sizes.length]));
                                setWord(heap, handles.getLast(), i);
                            }
                        });
        long freed = 0;
        for (int i = 0; i < handles.size(); i++) {
            if (i % 4 != 0) {
                heap.free(handles.get(i));
                freed += sizes[i % sizes.length];
            }
        }
        List<Long> more = fill(heap, 300 * KIB, limit, limitBytes);
        assertThat(more.size() * (300 * KIB)).as("of %d freed", freed).isGreaterThan(freed * 3 / 4);
        check(heap, handles, 4);
        HeapCheck.verifyAtRest(space(heap));
    }

    /** Most of each region lives: several must be copied until one is given back. */
    @ParameterizedTest
    @EnumSource
    void garbageIsLittleOfEachRegion_isCompactedForAllocations(Limit limit) {
        RelocatingHeap heap = limit.open(this);
        List<Long> handles = fill(heap, KIB, limit);
        for (int i = 0; i < handles.size(); i++) {
            if (i % 3 == 0) {
                heap.free(handles.get(i));
            }
        }
        List<Long> more = fill(heap, KIB, limit);
        assertThat(more.size())
                .as("of %d freed", handles.size() / 3)
                .isGreaterThan(handles.size() / 6);
        for (int i = 0; i < handles.size(); i++) {
            assertThat(heap.isLive(handles.get(i))).isEqualTo(i % 3 != 0);
        }
    }

    /** Compaction would wait for the thread itself, so it is refused there and not outside. */
    @ParameterizedTest
    @EnumSource
    void fullInsideAVisit_isRefusedWithoutCompaction(Limit limit) {
        RelocatingHeap heap = limit.open(this);
        List<Long> handles = fill(heap, KIB, limit);
        for (int i = 1; i < handles.size(); i += 2) {
            heap.free(handles.get(i));
        }
        heap.update(
                handles.get(0),
                _ ->
                        assertThatExceptionOfType(OutOfMemoryError.class)
                                .isThrownBy(() -> heap.allocate(KIB))
                                .withMessageContaining(limit.named + LIMIT));
        heap.free(heap.allocate(KIB));
        check(heap, handles, 2);
    }

    /** Also of the smallest heap, where what is kept to compact with is a large part. */
    @Test
    void full_ofTheHeap_saysFiguresThatAddUp() {
        for (long most : new long[] {HeapOptions.MAX_BYTES_MIN, 9 * MIB, LIMIT}) {
            RelocatingHeap heap = Limit.OF_THE_HEAP.open(this, most);
            String message = "";
            while (message.isEmpty()) {
                try {
                    assertThat(heap.allocate(KIB)).isNotZero();
                } catch (OutOfMemoryError full) {
                    message = String.valueOf(full.getMessage());
                }
            }
            Matcher figures =
                    Pattern.compile(
                                    "heapMaxBytes=(\\d+), heapBytes=(\\d+), keptFreeBytes=(\\d+),"
                                            + " requestedBytes=(\\d+), exceededByBytes=(\\d+)")
                            .matcher(message);
            assertThat(figures.find()).as(message).isTrue();
            long used = Long.parseLong(figures.group(2));
            long kept = Long.parseLong(figures.group(3));
            long requested = Long.parseLong(figures.group(4));
            assertThat(used + kept).as(message).isLessThanOrEqualTo(most);
            assertThat(Long.parseLong(figures.group(5)))
                    .as(message)
                    .isPositive()
                    .isEqualTo(used + kept + requested - most);
        }
    }

    /** Handles need memory, too: an object without a handle is none. */
    @ParameterizedTest
    @EnumSource
    void fullOfHandles_losesNothing(Limit limit) {
        RelocatingHeap heap = limit.open(this, LIMIT / 2);
        List<Long> handles = new ArrayList<>();
        assertThatExceptionOfType(OutOfMemoryError.class)
                .isThrownBy(
                        () -> {
                            while (true) {
                                handles.add(heap.allocate(0));
                            }
                        })
                .withMessageContaining(limit.named + LIMIT / 2);
        HeapCheck.verifyAtRest(space(heap));
        assertThat(HeapCheck.statsAtRest(space(heap)).liveObjects()).isEqualTo(handles.size());
        for (int i = 0; i < handles.size(); i++) {
            if (i % 16 != 0) {
                heap.free(handles.get(i));
            }
        }
        heap.compact();
        HeapCheck.verifyAtRest(space(heap));
        assertOnlyEach(heap, handles, 16);
        heap.free(heap.allocate(KIB));
    }

    /** Of so many objects one is alive. */
    private static void assertOnlyEach(RelocatingHeap heap, List<Long> handles, int step) {
        int wrong = 0;
        for (int i = 0; i < handles.size(); i++) {
            wrong += heap.isLive(handles.get(i)) == (i % step == 0) ? 0 : 1;
        }
        assertThat(wrong).isZero();
    }

    /** A table that is rebuilt needs memory, which is not there. */
    @ParameterizedTest
    @EnumSource
    void compactingASparseTableInAFullHeap_losesNothing(Limit limit) {
        RelocatingHeap heap = limit.open(this, 2 * LIMIT);
        List<Long> handles = new ArrayList<>();
        for (int i = 0; i < 1_000_000; i++) {
            try {
                handles.add(heap.allocate(0));
            } catch (OutOfMemoryError full) {
                break;
            }
        }
        assertThat(heap.stats().tableBytes()).isGreaterThan(3 * 2 * MIB);
        for (int i = 0; i < handles.size(); i++) {
            if (i % 512 != 0) {
                heap.free(handles.get(i));
            }
        }
        List<Long> filling = new ArrayList<>();
        try {
            while (true) {
                filling.add(heap.allocate(200 * KIB));
            }
        } catch (OutOfMemoryError full) {
            assertThat(full).hasMessageContaining(limit.named + 2 * LIMIT);
        }
        heap.compact();
        heap.compact();
        assertOnlyEach(heap, handles, 512);
        filling.forEach(heap::free);
        heap.compact();
        assertThat(heap.stats().tableBytes()).isLessThanOrEqualTo(3 * 2 * MIB);
        for (int i = 0; i < handles.size(); i += 512) {
            heap.free(handles.get(i));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, -8, Long.MIN_VALUE, LIMIT + 1, 1L << 40, Long.MAX_VALUE})
    void sizeOutOfRange_isRefused(long bytes) {
        RelocatingHeap heap = Limit.OF_THE_HEAP.open(this);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> heap.allocate(bytes))
                .withMessage(
                        "an object must fit into its heap: bytes=" + bytes + ", maxBytes=" + LIMIT);
        assertThat(HeapCheck.statsAtRest(space(heap)).liveObjects()).isZero();
    }

    /** A heap without a limit of its own: beyond what any pool has. */
    @ParameterizedTest
    @ValueSource(
            longs = {
                LIMIT,
                1L << 32,
                1L << 42,
                1L << 45,
                (1L << 47) - 1,
                1L << 47,
                1L << 52,
                1L << 62,
                Long.MAX_VALUE - 24,
                Long.MAX_VALUE - 15,
                Long.MAX_VALUE - 8,
                Long.MAX_VALUE
            })
    void sizeBeyondThePool_isRefused(long bytes) {
        RelocatingHeap heap = Limit.OF_THE_POOL.open(this);
        long other = heap.allocate(word(1));
        assertThat(OtherThread.thrownBy(() -> heap.allocate(bytes)))
                .isInstanceOfAny(OutOfMemoryError.class, IllegalArgumentException.class)
                .hasMessageContaining("ytes=");
        assertThat(HeapCheck.statsAtRest(space(heap)).liveObjects()).isEqualTo(1);
        assertThat(wordOf(heap, other)).isEqualTo(1);
        heap.free(other);
    }

    /** What cannot be copied leaves no object, and nothing that compaction stumbles over. */
    @ParameterizedTest
    @ValueSource(longs = {1, 100, 100_000, 1_000_000, 9_000_000})
    void contentThatCannotBeRead_leavesNothing(long bytes) {
        RelocatingHeap heap = heap();
        long[] before = objects(heap, 5000, 400);
        MemorySegment dead;
        try (Arena arena = Arena.ofConfined()) {
            dead = arena.allocate(bytes);
            MemorySegment foreign = dead;
            assertThat(OtherThread.thrownOnPlatform(() -> heap.allocate(foreign)))
                    .isInstanceOf(WrongThreadException.class);
        }
        assertThatIllegalStateException()
                .isThrownBy(() -> heap.allocate(dead))
                .withMessageContaining("closed");
        long[] after = objects(heap, 5000, 400);
        thin(heap, before, 10);
        thin(heap, after, 10);
        assertThat(HeapCheck.statsAtRest(space(heap)).liveObjects()).isEqualTo(1000);
        assertThat(heap.compact()).isPositive();
        checkThinned(heap, before, 10);
        checkThinned(heap, after, 10);
        HeapCheck.verifyAtRest(space(heap));
    }

    @ParameterizedTest
    @MethodSource("io.polder.heap.space.HeapVariant#policies")
    void compactionOfAFullHeap_halfGarbage_givesBack(HeapVariant variant) {
        RelocatingHeap heap = heap(variant, LIMIT);
        List<Long> handles = fill(heap, KIB, Limit.OF_THE_POOL);
        for (int i = 1; i < handles.size(); i += 2) {
            heap.free(handles.get(i));
        }
        assertThat(heap.compact()).isGreaterThan(LIMIT / 8);
        check(heap, handles, 2);
        HeapCheck.verifyAtRest(space(heap));
    }

    @Test
    void memoryUsedAgain_isZeroForNewObjects() {
        RelocatingHeap heap = heap(HeapVariant.USUAL, LIMIT);
        for (int round = 0; round < 4; round++) {
            List<Long> handles = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                long handle = heap.allocate(1 + i * 150L);
                heap.update(
                        handle,
                        bytes -> {
                            assertThat(Paint.isZero(bytes)).isTrue();
                            bytes.fill((byte) 0xff);
                        });
                handles.add(handle);
            }
            handles.forEach(heap::free);
            heap.compact();
        }
    }
}
