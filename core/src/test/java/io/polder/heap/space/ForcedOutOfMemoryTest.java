package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.arena.Seed;
import io.polder.arena.TestScale;
import io.polder.gate.Gate;
import io.polder.heap.EvacuationFailurePolicy;
import io.polder.heap.RelocatingHeap;
import io.polder.memory.MemoryExhaustedException;
import io.polder.page.space.Extent;
import io.polder.page.space.PageSpace;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import java.util.zip.CRC32;

/**
 * Cycles that run out of memory, hundreds of them: helpers and the worker fail every second copy,
 * or the pool is full, and the checksum of every object stays what it was.
 */
class ForcedOutOfMemoryTest extends HeapFixture {
    private static final int CYCLES = TestScale.of(400, 2000);

    /** A cycle whose gate is closed moves one object: after these, all objects are new. */
    private static final int ROUNDS = 10;

    private static final int CYCLES_HELPED = TestScale.of(50, 150);
    private static final int ROUNDS_FULL = TestScale.of(200, 2000);
    private static final int REFUSALS = 10;
    private static final int ROUNDS_MAX = 50 * ROUNDS_FULL;
    private static final int HELPERS = 2;
    private static final int OBJECTS = 400;
    private static final int BYTES_MAX = 6 << 10;

    /** The gates and policies that users might get, each with copies that fail. */
    static Stream<HeapVariant> variants() {
        return HeapVariant.policies().map(each -> each.failingEvery(2));
    }

    @ParameterizedTest
    @MethodSource("variants")
    void everySecondCopyFails_noObjectIsLost(HeapVariant variant) {
        long seed = Seed.get();
        RelocatingHeap heap = heap(variant, 64 * MIB);
        Seed.naming(
                seed,
                () -> {
                    SplittableRandom random = new SplittableRandom(seed);
                    while (heap.stats().outOfMemoryCycles() < CYCLES) {
                        Checked checked = new Checked(heap, random, OBJECTS);
                        for (int round = 0; round < ROUNDS; round++) {
                            checked.replaceSome();
                            heap.compact();
                        }
                        checked.check();
                        checked.end();
                    }
                });
        assertThat(HeapCheck.counts(space(heap)).refusedCopies()).isGreaterThanOrEqualTo(CYCLES);
    }

    @ParameterizedTest
    @MethodSource("variants")
    void everySecondCopyFails_helpersToo_noObjectIsLost(HeapVariant variant) {
        long seed = Seed.get();
        RelocatingHeap heap = heap(variant, 256 * MIB);
        AtomicBoolean closed = new AtomicBoolean();
        try (Workers watching = Workers.platform()) {
            watching.repeat(() -> closed.compareAndSet(false, isClosed(heap)));
            Seed.naming(seed, () -> run(heap, new SplittableRandom(seed)));
        }
        HeapCheck.Counts statistics = HeapCheck.counts(space(heap));
        assertThat(statistics.refusedCopies()).isGreaterThanOrEqualTo(CYCLES_HELPED);
        assertThat(statistics.pinnedObjects() + statistics.helpedObjects()).isPositive();
        if (variant.policy() == EvacuationFailurePolicy.CLOSE) {
            assertThat(closed).isTrue();
        }
    }

    private boolean isClosed(RelocatingHeap heap) {
        Gate gate = space(heap).evacuation.gate;
        return gate != null && gate.isClosed();
    }

    /** The gate is open again after each cycle, or the next would copy nothing. */
    @ParameterizedTest
    @MethodSource("variants")
    void afterEachCycle_theGateIsOpenAndRegionsStable(HeapVariant variant) {
        RelocatingHeap heap = heap(variant, 256 * MIB);
        for (int round = 0; round < 40; round++) {
            long[] handles = objects(heap, 5000, 400);
            thin(heap, handles, 4);
            long copied = HeapCheck.counts(space(heap)).evacuatedObjects();
            heap.compact();
            assertThat(HeapCheck.counts(space(heap)).evacuatedObjects()).isGreaterThan(copied);
            assertThat(isClosed(heap)).isFalse();
            HeapCheck.verifyAtRest(space(heap));
            checkThinned(heap, handles, 4);
            for (int i = 0; i < handles.length; i += 4) {
                heap.free(handles[i]);
            }
        }
        assertThat(heap.stats().outOfMemoryCycles()).isGreaterThan(30);
    }

    /**
     * No setting: while the heap is compacted, others take the pages that it has seen free. So a
     * cycle finds no page to copy to, and does not begin, or has taken it before them.
     */
    @ParameterizedTest
    @MethodSource("io.polder.heap.space.HeapVariant#policies")
    void poolIsFull_noObjectIsLost(HeapVariant variant) {
        long seed = Seed.get();
        Seed.naming(
                seed,
                () -> {
                    PageSpace pages = pages(32 * MIB);
                    RelocatingHeap heap = heap(pages, variant.settings());
                    SplittableRandom random = new SplittableRandom(seed);
                    Checked checked = new Checked(heap, random, 3000);
                    Others others = new Others(pages);
                    try (Workers workers = Workers.platform()) {
                        workers.repeat(others::takeAndGive);
                        for (int round = 0;
                                round < ROUNDS_FULL
                                        || others.refusals() < REFUSALS
                                        || heap.stats().cycles() == 0;
                                round++) {
                            assertThat(round).as("%s", heap.stats()).isLessThan(ROUNDS_MAX);
                            while (pages.statistics().takenBytes() < 24 * MIB) {
                                checked.add();
                            }
                            checked.replaceSome();
                            others.takeDuring(heap::compact);
                        }
                    }
                    checked.check();
                    checked.end();
                });
    }

    /** Takes all pages of a pool, and gives them back, again and again while something runs. */
    private static final class Others {
        private final PageSpace pages;
        private boolean take;

        private int refusals;

        Others(PageSpace pages) {
            this.pages = pages;
        }

        void takeDuring(LongSupplier work) {
            set(true);
            long _ = work.getAsLong();
            set(false);
        }

        /** How often there was no page left. */
        synchronized int refusals() {
            return refusals;
        }

        private synchronized void set(boolean takes) {
            take = takes;
        }

        synchronized void takeAndGive() {
            List<Extent> taken = new ArrayList<>();
            try {
                while (take) {
                    taken.add(pages.take(2 * MIB, false));
                }
            } catch (MemoryExhaustedException all) {
                refusals++;
                Thread.onSpinWait();
            } finally {
                taken.forEach(page -> pages.give(page, 0));
            }
        }
    }

    private static void run(RelocatingHeap heap, SplittableRandom random)
            throws InterruptedException {
        Churn churn = new Churn(heap, random.split(), OBJECTS);
        Checked[] checked = new Checked[HELPERS];
        for (int i = 0; i < HELPERS; i++) {
            checked[i] = new Checked(heap, random.split(), OBJECTS);
        }
        try (Workers workers = Workers.platform()) {
            workers.repeat(churn::round);
            for (Checked each : checked) {
                workers.repeat(each::replaceSome);
            }
            while (workers.goesOn() && heap.stats().outOfMemoryCycles() < CYCLES_HELPED) {
                Thread.sleep(1);
            }
        }
        for (Checked each : checked) {
            each.check();
            each.end();
        }
        churn.end();
    }

    /** Objects of one thread and their checksums. */
    private static final class Checked {
        private final RelocatingHeap heap;
        private final SplittableRandom random;
        private long[] handles;
        private long[] checksums;

        Checked(RelocatingHeap heap, SplittableRandom random, int count) {
            this.heap = heap;
            this.random = random;
            this.handles = new long[count];
            this.checksums = new long[count];
            for (int i = 0; i < count; i++) {
                handles[i] = heap.allocate(random.nextInt(BYTES_MAX));
                update(i);
            }
        }

        void add() {
            int count = handles.length;
            handles = Arrays.copyOf(handles, count + 1);
            checksums = Arrays.copyOf(checksums, count + 1);
            handles[count] = heap.allocate(random.nextInt(BYTES_MAX));
            update(count);
        }

        /** Returns 0, which is no handle, if the heap is full. */
        private long allocate(long bytes) {
            try {
                return heap.allocate(bytes);
            } catch (OutOfMemoryError full) {
                assertThat(full).hasMessageContaining("must stay within its limit");
                return 0;
            }
        }

        private void update(int index) {
            if (handles[index] == 0) {
                return;
            }
            heap.update(
                    handles[index],
                    bytes -> {
                        byte[] content = new byte[(int) bytes.byteSize()];
                        random.nextBytes(content);
                        MemorySegment.copy(
                                content, 0, bytes, ValueLayout.JAVA_BYTE, 0, content.length);
                        checksums[index] = checksum(bytes);
                    });
        }

        private static long checksum(MemorySegment bytes) {
            CRC32 crc = new CRC32();
            crc.update(bytes.asByteBuffer());
            return crc.getValue();
        }

        /** Changes some, and replaces some by others of the same size. */
        void replaceSome() {
            for (int i = 0; i < 20; i++) {
                int index = random.nextInt(handles.length);
                check(index);
                if (random.nextInt(3) == 0 && handles[index] != 0) {
                    long bytes = heap.size(handles[index]);
                    heap.free(handles[index]);
                    handles[index] = allocate(bytes);
                }
                update(index);
            }
        }

        private void check(int index) {
            if (handles[index] == 0) {
                return;
            }
            long found = heap.read(handles[index], Checked::checksum);
            assertThat(found).as("object %d", index).isEqualTo(checksums[index]);
        }

        void check() {
            for (int i = 0; i < handles.length; i++) {
                check(i);
            }
        }

        void end() {
            for (long handle : handles) {
                if (handle != 0) {
                    heap.free(handle);
                }
            }
        }
    }
}
