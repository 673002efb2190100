package io.polder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.polder.memory.Zeroing;

import jdk.jfr.consumer.RecordedEvent;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Blocks that are left when a pool is closed are counted, and their stacks named. */
@EnabledOnOs(OS.LINUX)
class BlockLeakTest {
    private static final int MANY = 200_000;

    private static MemoryPool pool(LeakDetection leaks) {
        return MemoryPool.builder().name("left").leaks(leaks).build();
    }

    /** Detects leaks from now on, as somebody does who looks into a program that runs. */
    private static void watch(LeakDetection wanted) {
        OpenPools.INSTANCE.reachable().stream()
                .filter(each -> each.name().equals("left"))
                .forEach(each -> each.watch(wanted));
    }

    private static List<Long> allocateHere(BlockAllocator blocks, int count, long bytes) {
        List<Long> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            all.add(blocks.allocateAddress(bytes));
        }
        return all;
    }

    @Test
    void close_blocksLeft_areCountedAndNamedByTheirStacks() {
        try (Recorded recorded = new Recorded("ArenaLeak")) {
            MemoryPool pool = MemoryPool.builder().name("told").leaks(LeakDetection.ALL).build();
            BlockAllocator blocks = pool.blocks();
            List<Long> left = allocateHere(blocks, 3, 100);
            blocks.freeAddress(left.removeLast());
            long grown = blocks.reallocateAddress(blocks.allocateZeroedAddress(10, 16), 5000);
            assertThat(pool.stats().leaks().leaked()).as("they may be freed yet").isZero();
            pool.close();
            assertThat(pool.stats().blocks().leftAtClose()).isEqualTo(3);
            PoolStatistics.Leaks leaks = pool.stats().leaks();
            assertThat(leaks.leaked()).as("one for each stack").isEqualTo(2);
            assertThat(leaks.leakedBytes()).isEqualTo(2 * 100 + 5000);
            assertThat(leaks.sites())
                    .allSatisfy(
                            leak -> {
                                assertThat(leak.kind()).isEqualTo("blocks");
                                assertThat(leak.thread())
                                        .isEqualTo(Thread.currentThread().getName());
                            })
                    .anySatisfy(
                            leak -> {
                                assertThat(leak.bytes()).isEqualTo(200);
                                assertThat(leak.openedAt().getFirst())
                                        .contains("BlockLeakTest.allocateHere");
                            })
                    .anySatisfy(
                            leak ->
                                    assertThat(leak.openedAt().getFirst())
                                            .contains("close_blocksLeft_areCounted"));
            assertThat(pool.report())
                    .contains("Used when the pool was closed: 3 blocks")
                    .contains("  1 x blocks, 200 bytes, last by thread ")
                    .contains("BlockLeakTest.allocateHere");
            Await.until("both are told", () -> recorded.ofPool("told").size() >= 2);
            List<RecordedEvent> events = recorded.ofPool("told");
            assertThat(events).hasSize(2);
            assertThat(events).allMatch(event -> event.getString("kind").equals("blocks"));
            pool.close();
            assertThat(pool.stats().leaks().leaked()).as("told once").isEqualTo(2);
            left.forEach(blocks::freeAddress);
            blocks.freeAddress(grown);
            assertThat(pool.trim()).isNotNegative();
            assertThat(pool.stats().committedBytes()).isZero();
        }
    }

    @Test
    void close_allFreed_isNoLeak() throws InterruptedException {
        MemoryPool pool = pool(LeakDetection.ALL);
        BlockAllocator blocks = pool.blocks();
        List<Long> all = allocateHere(blocks, 100, 64);
        all.add(blocks.allocateAddress(100, 4096));
        all.add(blocks.allocate(50, 8).address());
        all.add(blocks.reallocateAddress(blocks.allocateAddress(3 << 20), 9 << 20));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> blocks.freeAddress(all.getFirst() + 8));
        Thread other = Thread.ofPlatform().start(() -> all.forEach(blocks::freeAddress));
        Await.end(other);
        pool.close();
        assertThat(pool.stats().blocks().leftAtClose()).isZero();
        assertThat(pool.stats().leaks().leaked()).isZero();
    }

    @Test
    void free_refused_keepsItWatched() {
        MemoryPool pool = MemoryPool.builder().leaks(LeakDetection.ALL).checkBlocks(true).build();
        BlockAllocator blocks = pool.blocks();
        long block = blocks.allocateAddress(10);
        Zeroing.ADDRESS_SPACE.set(ValueLayout.JAVA_BYTE, block + 10, (byte) 1);
        assertThat(catchFree(blocks, block)).isInstanceOf(IllegalStateException.class);
        pool.close();
        assertThat(pool.stats().leaks().leaked()).isEqualTo(1);
        blocks.freeAddress(block);
    }

    private static Throwable catchFree(BlockAllocator blocks, long block) {
        return catchThrowable(() -> blocks.freeAddress(block));
    }

    @Test
    void sampled_manyBlocks_watchesSomeOfThem() {
        MemoryPool pool = pool(LeakDetection.SAMPLED);
        BlockAllocator blocks = pool.blocks();
        List<Long> all = allocateHere(blocks, MANY, 16);
        pool.close();
        assertThat(pool.stats().blocks().leftAtClose()).isEqualTo(MANY);
        PoolStatistics.Leaks leaks = pool.stats().leaks();
        assertThat(leaks.leaked()).isEqualTo(1);
        assertThat(leaks.leakedBytes()).isPositive().isLessThan(MANY / 10 * 16);
        all.forEach(blocks::freeAddress);
    }

    @Test
    void report_ofALivingPool_saysWhoHasTheBlocks() {
        try (MemoryPool pool = pool(LeakDetection.ALL)) {
            BlockAllocator blocks = pool.blocks();
            List<Long> all = allocateHere(blocks, 3, 1000);
            MemorySegment more = blocks.allocateZeroed(10, 8);
            String report = pool.report();
            assertThat(report)
                    .contains(" Used, by where they were allocated (all):\n  3 blocks, 2.93 KB, by")
                    .containsSubsequence("BlockLeakTest.allocateHere", "\n  1 block, 10 bytes, by");
            all.forEach(blocks::freeAddress);
            blocks.free(more);
            assertThat(pool.report()).doesNotContain("by where they were allocated");
        }
    }

    @Test
    void report_blocksOfManyPlaces_namesTheFirstAndCountsTheOthers() {
        try (MemoryPool pool = pool(LeakDetection.ALL)) {
            BlockAllocator blocks = pool.blocks();
            List<Long> all = new ArrayList<>();
            for (int places = 0; places < 8; places++) {
                all.add(allocateDeep(blocks, places));
            }
            assertThat(pool.report()).doesNotContain("other places");
            all.add(allocateDeep(blocks, 8));
            all.add(allocateDeep(blocks, 9));
            assertThat(pool.report()).contains("\n  and from 2 other places\n");
            all.forEach(blocks::freeAddress);
        }
    }

    /** Each depth is a place of its own. */
    private static long allocateDeep(BlockAllocator blocks, int depth) {
        return depth == 0 ? blocks.allocateAddress(16) : allocateDeep(blocks, depth - 1);
    }

    @Test
    void report_detectionCameAfterTheFirstBlock_saysThatNoBlockIsWatched() {
        try (MemoryPool pool = pool(LeakDetection.OFF)) {
            watch(LeakDetection.ALL);
            assertThat(pool.report()).contains("all arenas and blocks, all pages and heaps are");
            watch(LeakDetection.OFF);
            List<Long> all = allocateHere(pool.blocks(), 3, 1000);
            watch(LeakDetection.ALL);
            all.addAll(allocateHere(pool.blocks(), 3, 1000));
            assertThat(pool.report())
                    .contains("all arenas, all pages and heaps are watched; no block is")
                    .doesNotContain("and blocks");
            all.forEach(pool.blocks()::freeAddress);
        }
    }

    @Test
    void report_allDetectedSinceLater_doesNotSayThatAllUsedBlocksAreKnown() {
        try (MemoryPool pool = pool(LeakDetection.SAMPLED)) {
            List<Long> all = allocateHere(pool.blocks(), MANY, 16);
            watch(LeakDetection.ALL);
            assertThat(pool.report()).contains("by where they were allocated (some of them)");
            all.forEach(pool.blocks()::freeAddress);
        }
    }

    /** A pool whose blocks are used is no garbage: a thread with an address may find it again. */
    @ParameterizedTest
    @ValueSource(longs = {100, 3 << 20})
    void dropped_blocksUsed_staysListedWithThem(long bytes) {
        String name = "dropped with " + bytes;
        long block = allocatedFromADroppedPool(name, bytes);
        for (int i = 0; i < 20; i++) {
            System.gc();
        }
        List<MemoryPool> dropped =
                MemoryPool.openPools().stream().filter(pool -> pool.name().equals(name)).toList();
        assertThat(dropped).hasSize(1);
        assertThat(dropped.getFirst().report())
                .contains("by where they were allocated (all)", "allocatedFromADroppedPool");
        dropped.getFirst().blocks().freeAddress(block);
        dropped.getFirst().close();
    }

    private static long allocatedFromADroppedPool(String name, long bytes) {
        return MemoryPool.builder()
                .name(name)
                .decay(Duration.ofMillis(1))
                .leaks(LeakDetection.ALL)
                .build()
                .blocks()
                .allocateAddress(bytes);
    }

    @Test
    void off_blocksLeft_areOnlyCounted() {
        MemoryPool pool = pool(LeakDetection.OFF);
        long block = pool.blocks().allocateAddress(10);
        pool.close();
        assertThat(pool.stats().blocks().leftAtClose()).isEqualTo(1);
        assertThat(pool.stats().leaks().leaked()).isZero();
        pool.blocks().freeAddress(block);
    }
}
