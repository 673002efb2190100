package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.polder.Await;
import io.polder.arena.Seed;
import io.polder.heap.RelocatingHeap;
import io.polder.memory.DelegatingProvider;
import io.polder.memory.Exhaustion;
import io.polder.memory.MemoryBudget;
import io.polder.memory.MemoryLimits;
import io.polder.memory.MemoryProvider;
import io.polder.memory.Providers;
import io.polder.memory.Zeroing;
import io.polder.page.space.Extent;
import io.polder.page.space.PageSettings;
import io.polder.page.space.PageSpace;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Reads without a critical section, while all that they read goes elsewhere and is given back. */
class OptimisticReadsTest extends HeapFixture {
    private static final int OBJECTS = 200;
    private static final int ROUNDS = 40;

    /** The number at the front and at the end of each object is its index, with what it counts. */
    private static void check(
            RelocatingHeap heap, long[] handles, int index, MemorySegment buffer) {
        long bytes = heap.size(handles[index]);
        long first = heap.getLong(handles[index], 0);
        long last = heap.getLong(handles[index], bytes - Long.BYTES);
        assertThat(first % OBJECTS).isEqualTo(index);
        assertThat(last).isEqualTo(-index);
        assertThat(heap.getInt(handles[index], 8)).isEqualTo(~index);
        heap.get(handles[index], 0, buffer);
        assertThat(buffer.get(ValueLayout.JAVA_LONG, 0) % OBJECTS).isEqualTo(index);
        assertThat(buffer.get(ValueLayout.JAVA_INT, 8)).isEqualTo(~index);
        heap.get(handles[index], bytes - Long.BYTES, buffer.asSlice(0, Long.BYTES));
        assertThat(buffer.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(-index);
    }

    private static long[] objects(RelocatingHeap heap, SplittableRandom random) {
        long[] handles = new long[OBJECTS];
        for (int i = 0; i < OBJECTS; i++) {
            long bytes = 24 + random.nextLong(i % 10 == 0 ? MIB : 2 * KIB);
            handles[i] = heap.allocate(bytes);
            heap.setLong(handles[i], 0, i);
            heap.setInt(handles[i], 8, ~i);
            heap.setLong(handles[i], bytes - Long.BYTES, -i);
        }
        return handles;
    }

    /** Takes pages of the pool as others do, and fills them with this and that. */
    private static void scribble(PageSpace pages, SplittableRandom random) {
        Extent page = pages.take((1L + random.nextInt(4)) * 2 * MIB, false);
        long word = random.nextLong();
        for (long at = page.address(); at < page.address() + page.bytes(); at += Long.BYTES) {
            Zeroing.ADDRESS_SPACE.set(ValueLayout.JAVA_LONG, at, word);
        }
        pages.give(page, page.bytes());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void read_everythingMovesAndIsOverwritten_isRight(boolean virtual) {
        long seed = Seed.get();
        PageSpace pages = pages(512 * MIB);
        RelocatingHeap heap = heap(pages, HeapVariant.USUAL.settings().withReserve(true));
        Seed.naming(
                seed,
                () -> {
                    SplittableRandom random = new SplittableRandom(seed);
                    long[] handles = objects(heap, random.split());
                    AtomicLong reads = new AtomicLong();
                    try (Workers workers = virtual ? Workers.virtual() : Workers.platform()) {
                        for (int i = 0; i < 2; i++) {
                            SplittableRandom its = random.split();
                            MemorySegment buffer = Arena.ofAuto().allocate(24);
                            workers.repeat(
                                    () -> {
                                        check(heap, handles, its.nextInt(OBJECTS), buffer);
                                        long _ = reads.incrementAndGet();
                                    });
                        }
                        workers.begin(
                                () -> {
                                    change(heap, handles, pages, random.split());
                                    // On a busy machine the others may have had no turn by then.
                                    while (workers.goesOn() && reads.get() <= OBJECTS) {
                                        scribble(pages, random);
                                    }
                                });
                        workers.joinAllBut(2);
                    }
                    assertThat(reads.get()).isGreaterThan(OBJECTS);
                    assertThat(heap.stats().cycles()).isGreaterThan(ROUNDS / 2);
                });
    }

    /** Moves, resizes, scribbles, and rebuilds the table. */
    private void change(
            RelocatingHeap heap, long[] handles, PageSpace pages, SplittableRandom random) {
        Churn churn = new Churn(heap, random.split(), 600);
        for (int round = 0; round < ROUNDS; round++) {
            churn.round();
            for (int i = 0; i < 20; i++) {
                long handle = handles[random.nextInt(OBJECTS)];
                long _ = heap.getAndAddLong(handle, 0, OBJECTS);
            }
            Throttle throttle = new Throttle(1, new EvacuationCounts());
            boolean _ = space(heap).leaves.rebuild(throttle, () -> false, false);
            giveUnused(heap);
            scribble(pages, random);
            if (round % 8 == 0) {
                long _ = pages.trim();
            }
        }
        churn.end();
    }

    /** As the compaction of the table does. */
    private void giveUnused(RelocatingHeap heap) {
        HeapSpace space = space(heap);
        List<TablePages.Place> unused = space.leaves.unused();
        space.access.synchronize();
        space.leaves.give(unused);
    }

    @Test
    void read_inTheCommonCase_entersNoCriticalSection() {
        RelocatingHeap heap = heap();
        long handle = heap.allocate(word(5));
        assumeTrue(space(heap).pages.leftMapped);
        space(heap).access.close(); // nobody can enter
        try {
            assertThat(heap.getLong(handle, 0)).isEqualTo(5);
            assertThat(heap.size(handle)).isEqualTo(8);
            assertThat(heap.isLive(handle)).isTrue();
            assertThatIllegalStateException().isThrownBy(() -> heap.setLong(handle, 0, 1));
        } finally {
            space(heap).access.reopen();
        }
    }

    /** From the smallest on, up to those whose size does not fit into the header. */
    @ParameterizedTest
    @ValueSource(longs = {MEDIUM_MAX - 7, 5 * MIB + 3, (1 << 24) - 2, 1 << 24, 19 * MIB})
    void read_objectInAPageOfItsOwn_isRight(long bytes) {
        RelocatingHeap heap = heap(pages(96 * MIB), HeapVariant.USUAL.settings());
        long handle = heap.allocate(bytes);
        heap.setLong(handle, 0, 5);
        heap.setLong(handle, bytes - Long.BYTES, 6);
        assertThat(heap.size(handle)).isEqualTo(bytes);
        assertThat(heap.getLong(handle, 0)).isEqualTo(5);
        assertThat(heap.getLong(handle, bytes - Long.BYTES)).isEqualTo(6);
        MemorySegment buffer = Arena.ofAuto().allocate(Long.BYTES);
        heap.get(handle, bytes - Long.BYTES, buffer);
        assertThat(buffer.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(6);
        for (long behind : new long[] {bytes - Long.BYTES + 1, bytes, bytes + MIB}) {
            assertThatExceptionOfType(IndexOutOfBoundsException.class)
                    .isThrownBy(() -> heap.getLong(handle, behind));
            assertThatExceptionOfType(IndexOutOfBoundsException.class)
                    .isThrownBy(() -> heap.get(handle, behind, buffer));
        }
        assertThatExceptionOfType(IndexOutOfBoundsException.class)
                .isThrownBy(() -> heap.getByte(handle, bytes));
    }

    /** It goes to the word before the header, and comes back. */
    @Test
    void resize_inPlaceWhereTheSizeLeavesTheHeader_isSeen() {
        RelocatingHeap heap = heap(pages(96 * MIB), HeapVariant.USUAL.settings());
        long fits = (1 << 24) - 6;
        long handle = heap.allocate(fits);
        for (long bytes : new long[] {(1 << 24) - 2, 1 << 24, (1 << 24) - 1, fits}) {
            heap.resize(handle, bytes);
            heap.setLong(handle, bytes - Long.BYTES, bytes);
            assertThat(heap.size(handle)).isEqualTo(bytes);
            assertThat(heap.getLong(handle, bytes - Long.BYTES)).isEqualTo(bytes);
            assertThatExceptionOfType(IndexOutOfBoundsException.class)
                    .isThrownBy(() -> heap.getByte(handle, bytes));
        }
        assertThat(HeapCheck.counts(space(heap)).regions()).isEqualTo(1);
    }

    @Test
    void read_closeMeanwhile_isRightOrRefused() {
        for (int round = 0; round < ROUNDS; round++) {
            PageSpace pages = pages(64 * MIB);
            RelocatingHeap heap = heap(pages, HeapVariant.USUAL.settings());
            long handle = heap.allocate(word(5));
            AtomicLong reads = new AtomicLong();
            try (Workers workers = Workers.platform()) {
                workers.begin(
                        () -> {
                            try {
                                while (true) {
                                    assertThat(heap.getLong(handle, 0)).isEqualTo(5);
                                    long _ = reads.incrementAndGet();
                                }
                            } catch (IllegalStateException closed) {
                                assertThat(closed).hasMessage("the heap is closed");
                            }
                        });
                Await.until(() -> reads.get() >= 1000);
                heap.close();
                long _ = pages.trim();
                workers.joinAllBut(0);
            }
        }
    }

    @Test
    void staleReader_poolGone_findsReadableMemory() {
        PageSpace pages = pages(64 * MIB);
        RelocatingHeap heap = heap(pages, HeapVariant.USUAL.settings());
        long handle = heap.allocate(word(5));
        assumeTrue(space(heap).pages.leftMapped);
        HeapSpace space = space(heap);
        long given = space.pages.given;
        long word = space.table.wordIfDense(HandleLayout.index(handle));
        long at = space.table.entry(0);
        heap.close();
        long _ = pages.trim();
        assertThat(pages.statistics().reservedBytes()).isZero();
        // The loads of a reader that stood still since; what they find counts no more.
        assertThat(RawAccess.getAcquire(at)).isZero();
        assertThat(ObjectLayout.sizeBytes(HandleWordLayout.address(word))).isZero();
        assertThat(space.pages.noneGivenSince(given)).isFalse();
    }

    /** Where memory that is released is gone from the address space: else the JVM would crash. */
    @Test
    void closed_memoryIsUnmapped_isRefusedWithoutALookAtTheTable() {
        MemoryProvider unmapping =
                new DelegatingProvider(Providers.choose().provider()) {
                    @Override
                    public boolean canReleaseMapped() {
                        return false;
                    }

                    @Override
                    public void releaseMapped(long address, long bytes) {
                        release(address, bytes);
                    }
                };
        PageSpace pages =
                new PageSpace(
                        unmapping,
                        new MemoryBudget(MemoryLimits.NONE, ""),
                        background,
                        new PageSettings(TimeUnit.DAYS.toNanos(1), false, false),
                        Exhaustion.IGNORED,
                        null);
        RelocatingHeap heap = heap(pages, HeapVariant.USUAL.settings());
        long handle = heap.allocate(8);
        heap.setLong(handle, 0, 5);
        assertThat(heap.getLong(handle, 0)).isEqualTo(5);
        assertThat(heap.isLive(handle)).isTrue();
        heap.close();
        pages.close();
        assertThatIllegalStateException().isThrownBy(() -> heap.isLive(handle));
        assertThatIllegalStateException().isThrownBy(() -> heap.getLong(handle, 0));
        assertThatIllegalStateException().isThrownBy(() -> heap.size(handle));
        assertThatIllegalStateException().isThrownBy(() -> heap.get(handle, word(0)));
        assertThatIllegalStateException().isThrownBy(() -> heap.get(handle, 0, word(0)));
    }
}
