package io.polder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.polder.leak.Collected;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.Arena;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;

/** Blocks beside the rest of their pool: its limits, its arenas, its end. */
class BlocksOfAPoolTest {
    private static final long MIB = 1 << 20;

    /** Room to grow is for when there is room. */
    @Test
    void reallocate_roomToGrowIsBeyondTheLimit_growsToWhatIsAsked() {
        try (MemoryPool pool = MemoryPool.builder().committedMaxBytes(64 * MIB).build()) {
            BlockAllocator blocks = pool.blocks();
            long block = blocks.allocateAddress(20 * MIB);
            long grown = blocks.reallocateAddress(block, 40 * MIB);
            assertThat(blocks.usableSize(grown)).isEqualTo(40 * MIB);
            blocks.freeAddress(grown);
        }
    }

    @Test
    void arena_freeBlocksOfASleepingThreadAreInTheWay_getsTheirMemory() throws Exception {
        try (MemoryPool pool = MemoryPool.builder().committedMaxBytes(8 * MIB).build()) {
            CountDownLatch freed = new CountDownLatch(1);
            CountDownLatch awake = new CountDownLatch(1);
            Thread sleeper = Thread.ofPlatform().start(() -> freeAndSleep(pool, freed, awake));
            Await.open(freed);
            for (Arena opened : List.of(pool.openConfined(), pool.openShared())) {
                try (Arena arena = opened) {
                    assertThat(arena.allocate(6 * MIB).byteSize()).isEqualTo(6 * MIB);
                }
            }
            awake.countDown();
            Await.end(sleeper);
        }
    }

    /** There is always something to give back, and never enough. */
    @Test
    @Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void arena_isBeyondTheLimitWhileBlocksComeAndGo_isRefused() throws Exception {
        try (MemoryPool pool = MemoryPool.builder().committedMaxBytes(8 * MIB).build()) {
            AtomicBoolean over = new AtomicBoolean();
            Thread other = Thread.ofPlatform().start(() -> comeAndGo(pool.blocks(), over));
            try {
                for (int round = 0; round < 20; round++) {
                    for (Arena opened : List.of(pool.openConfined(), pool.openShared())) {
                        try (Arena arena = opened) {
                            assertThatExceptionOfType(OutOfMemoryError.class)
                                    .isThrownBy(() -> arena.allocate(16 * MIB));
                        }
                    }
                }
            } finally {
                over.set(true);
                Await.end(other);
            }
        }
    }

    private static void comeAndGo(BlockAllocator blocks, AtomicBoolean over) {
        while (!over.get()) {
            for (long bytes = 16; bytes <= MIB / 8; bytes *= 2) {
                blocks.freeAddress(blocks.allocateAddress(bytes));
            }
        }
    }

    /** Of each size, so that the thread keeps a part of memory of each. */
    private static void freeAndSleep(MemoryPool pool, CountDownLatch freed, CountDownLatch awake) {
        BlockAllocator blocks = pool.blocks();
        List<Long> taken = new ArrayList<>();
        for (long bytes = 16; bytes <= MIB / 2; bytes *= 2) {
            taken.add(blocks.allocateAddress(bytes));
        }
        taken.forEach(blocks::freeAddress);
        freed.countDown();
        Await.open(awake);
    }

    /** Nobody trims, and the thread tells nobody what it freed. */
    @Test
    void decay_threadFreedFewBlocksAndSleeps_givesThemBack() throws Exception {
        try (MemoryPool pool = MemoryPool.builder().decay(Duration.ofMillis(100)).build()) {
            CountDownLatch freed = new CountDownLatch(1);
            CountDownLatch awake = new CountDownLatch(1);
            Thread sleeper = Thread.ofPlatform().start(() -> freeAndSleep(pool, freed, awake));
            Await.open(freed);
            Await.until("all is given back", () -> pool.stats().committedBytes() == 0);
            awake.countDown();
            Await.end(sleeper);
        }
    }

    /** What a living thread remembers of a pool must not keep it. */
    @Test
    void pool_isClosedAndDropped_isNotKeptByThreadsThatUsedItsBlocks() {
        assertIsCollected(true);
    }

    /** Nobody can free what was not freed, once the pool is closed and dropped. */
    @Test
    void pool_isClosedAndDropped_isNotKeptByBlocksThatWereNotFreed() {
        assertIsCollected(false);
    }

    /** A tick that began when the pool was open may ask late that it be kept. */
    @Test
    void pool_isClosedDuringATick_isNotKept() {
        MemoryPool pool = MemoryPool.builder().name("kept late").build();
        PoolMemory memory =
                OpenPools.INSTANCE.reachable().stream()
                        .filter(each -> each.name().equals("kept late"))
                        .findFirst()
                        .orElseThrow();
        long _ = pool.blocks().allocateAddress(100);
        pool.close();
        OpenPools.INSTANCE.hold(memory, true);
        assertThat(OpenPools.INSTANCE.held).doesNotContain(memory);
    }

    private static void assertIsCollected(boolean freed) {
        List<WeakReference<MemoryPool>> dropped = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            dropped.add(used(freed));
        }
        Collected.until(
                "all pools are collected",
                () -> dropped.stream().allMatch(each -> each.refersTo(null)));
    }

    private static WeakReference<MemoryPool> used(boolean freed) {
        MemoryPool pool = MemoryPool.builder().build();
        BlockAllocator blocks = pool.blocks();
        long block = blocks.allocateAddress(100);
        if (freed) {
            blocks.freeAddress(block);
        }
        pool.close();
        return new WeakReference<>(pool);
    }
}
