package io.polder.arena;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.Await;
import io.polder.Paint;
import io.polder.chunk.ChunkLevel;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIf;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Arenas of virtual threads, which keep nothing and may go on on another carrier. */
@SuppressWarnings("ThreadPriorityCheck") // yielding is what lets a thread change its carrier
class VirtualThreadArenaTest {
    /** What {@link Slabs} makes for one processor. */
    private static final int SLOTS = 64;

    private static final long SLAB = 4096;
    private static final long SMALL = ChunkLevel.SMALLEST_BYTES;

    @RegisterExtension final Slabs fixture = new Slabs();

    private final ArenaFactory memory = fixture.create(SLAB, 4);

    @Test
    void end_ofManyVirtualThreads_needsNoMoreSlabsThanSlots() throws Exception {
        Semaphore atOnce = new Semaphore(SLOTS / 4);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> futures = new ArrayList<>();
            for (int i = 0; i < 10_000; i++) {
                int seed = i;
                Await.permit(atOnce);
                futures.add(
                        threads.submit(
                                () -> {
                                    try {
                                        paintAndCheck(seed);
                                    } finally {
                                        atOnce.release();
                                    }
                                }));
            }
            for (Future<?> future : futures) {
                future.get();
            }
        }
        assertThat(Slabs.usedBytes(memory)).isBetween(SLAB, SLOTS * SLAB);
        assertThat(memory.threadCount()).isZero();
    }

    @Test
    void block_withMoreArenasOpenThanSlots_takesSmallChunksAndGivesThemBack() throws Exception {
        int count = 3 * SLOTS;
        for (int round = 0; round < 2; round++) {
            CountDownLatch open = new CountDownLatch(count);
            CountDownLatch close = new CountDownLatch(1);
            long used;
            List<Future<Long>> futures = new ArrayList<>();
            try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
                for (int i = 0; i < count; i++) {
                    int seed = i;
                    futures.add(
                            threads.submit(
                                    () -> {
                                        try (Arena arena = memory.openConfined()) {
                                            MemorySegment segment = painted(arena, seed);
                                            open.countDown();
                                            Await.open(close);
                                            assertThat(Paint.isPainted(segment, seed)).isTrue();
                                            return segment.address();
                                        } finally {
                                            open.countDown(); // where it failed before
                                        }
                                    }));
                }
                try {
                    Await.open(open);
                    used = Slabs.usedBytes(memory);
                } finally {
                    close.countDown();
                }
            }
            Set<Long> addresses = new HashSet<>();
            for (Future<Long> future : futures) {
                addresses.add(future.get());
            }
            assertThat(addresses).hasSize(count);
            assertThat(used).isBetween(count * SMALL, SLOTS * SLAB + count * SMALL);
            SlabAudit.check(memory);
        }
        assertThat(Slabs.usedBytes(memory)).isBetween(SLAB, SLOTS * SLAB);
    }

    /** One that opens many arenas keeps slabs as a platform thread does, until it has ended. */
    @Test
    void open_manyInOneVirtualThread_keepsSlabs() {
        int turns = SlabSlots.TURNS_EARNED + 4;
        assertThat(OtherThread.<Integer>virtual(() -> threadCountAfter(turns - 4))).isZero();
        assertThat(OtherThread.<Integer>virtual(() -> threadCountAfter(turns))).isEqualTo(1);
        SlabAudit.check(memory);
        OtherThread.platform(
                () -> {
                    paintAndCheck(0);
                    return null;
                });
        assertThat(memory.threadCount()).isEqualTo(1); // this last one, not looked at since
        SlabAudit.check(memory);
    }

    /**
     * Others exchange what few virtual threads may keep, and platform threads want. How many have
     * earned that is for chance to say: threads share slots, and one that finds another one
     * claiming an entry does not.
     */
    @Test
    void open_manyInManyVirtualThreads_fewKeepSlabs() throws Exception {
        int count = ThreadRegistry.VIRTUALS_MAX + 16;
        CountDownLatch opened = new CountDownLatch(count);
        CountDownLatch end = new CountDownLatch(1);
        List<Future<?>> futures = new ArrayList<>();
        int keeping;
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < count; i++) {
                futures.add(
                        threads.submit(
                                () -> {
                                    try {
                                        int _ = threadCountAfter(2 * SlabSlots.TURNS_EARNED);
                                    } finally {
                                        opened.countDown();
                                    }
                                    Await.open(end);
                                    paintAndCheck(1);
                                    return null;
                                }));
            }
            try {
                Await.open(opened);
                keeping = memory.threadCount();
            } finally {
                end.countDown();
            }
        }
        assertThat(keeping).isLessThanOrEqualTo(ThreadRegistry.VIRTUALS_MAX);
        for (Future<?> future : futures) {
            future.get();
        }
        SlabAudit.check(memory);
    }

    private int threadCountAfter(int arenas) {
        for (int i = 0; i < arenas; i++) {
            paintAndCheck(i);
        }
        return memory.threadCount();
    }

    @Test
    @DisabledIf("oneProcessor")
    void migrate_whileAnArenaIsOpen_keepsTheBytes() throws Exception {
        long start = System.nanoTime();
        boolean any = anyMigrated();
        // On a busy machine all but one carrier may have no turn for long.
        while (!any && System.nanoTime() - start < TimeUnit.SECONDS.toNanos(200)) {
            any = anyMigrated();
        }
        assertThat(any).describedAs("a virtual thread changed its carrier").isTrue();
    }

    private boolean anyMigrated() throws Exception {
        int threads = 16;
        List<Future<Boolean>> futures = new ArrayList<>();
        try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < threads; i++) {
                int seed = i;
                futures.add(executor.submit(() -> migrated(seed)));
            }
        }
        boolean any = false;
        for (Future<Boolean> future : futures) {
            any |= future.get();
        }
        return any;
    }

    @Test
    void nest_inAVirtualThread_givesAllBack() {
        Set<Long> first = OtherThread.virtual(() -> nest(20));
        assertThat(first).hasSize(20);
        assertThat(OtherThread.virtual(() -> nest(20))).hasSize(20);
        assertThat(Slabs.usedBytes(memory)).isBetween(SLAB, 2 * SlabSlots.PROBES * SLAB);
    }

    @Test
    void use_byPlatformAndVirtualThreads_keepsThemApart() {
        try (Arena arena = memory.openConfined()) {
            MemorySegment segment = painted(arena, 1);
            OtherThread.virtual(
                    () -> {
                        paintAndCheck(2);
                        return nest(5);
                    });
            assertThat(Paint.isPainted(segment, 1)).isTrue();
        }
    }

    static boolean oneProcessor() {
        return Runtime.getRuntime().availableProcessors() == 1;
    }

    /** Yields with an arena open until the carrier is another one, or often enough. */
    private boolean migrated(int seed) {
        Set<String> carriers = new HashSet<>();
        for (int round = 0; round < 100; round++) {
            try (Arena arena = memory.openConfined()) {
                MemorySegment segment = painted(arena, seed);
                carriers.add(carrier());
                for (int i = 0; i < 20; i++) {
                    Thread.yield();
                    carriers.add(carrier());
                    MemorySegment more = painted(arena, seed + i);
                    Thread.yield();
                    assertThat(Paint.isPainted(segment, seed)).isTrue();
                    assertThat(Paint.isPainted(more, seed + i)).isTrue();
                }
            }
        }
        return carriers.size() > 1;
    }

    /** The end of a virtual thread's text names its carrier. */
    private static String carrier() {
        String text = Thread.currentThread().toString();
        return text.substring(text.lastIndexOf('@') + 1);
    }

    private void paintAndCheck(int seed) {
        try (Arena arena = memory.openConfined()) {
            MemorySegment first = painted(arena, seed);
            Thread.yield();
            MemorySegment second = painted(arena, seed + 1);
            Thread.yield();
            assertThat(Paint.isPainted(first, seed)).isTrue();
            assertThat(Paint.isPainted(second, seed + 1)).isTrue();
        }
    }

    private static MemorySegment painted(Arena arena, int seed) {
        MemorySegment segment = arena.allocate(20 + seed % 40);
        assertThat(Paint.isZero(segment)).isTrue();
        Paint.paint(segment, seed);
        return segment;
    }

    private Set<Long> nest(int depth) {
        if (depth == 0) {
            return new HashSet<>();
        }
        try (Arena arena = memory.openConfined()) {
            long address = arena.allocate(8).address();
            Set<Long> addresses = nest(depth - 1);
            assertThat(addresses.add(address)).isTrue();
            return addresses;
        }
    }
}
