package io.polder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.polder.memory.Zeroing;
import io.polder.page.Page;

import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Blocks of a pool: its limits, its trim, its close. */
class BlockAllocatorTest {
    private static final long MIB = 1 << 20;

    @Test
    void blocks_always_areTheSame() {
        try (MemoryPool pool = MemoryPool.builder().build()) {
            assertThat(pool.blocks()).isSameAs(pool.blocks());
        }
    }

    @Test
    void trim_allFreed_leavesNothingCommitted() {
        try (MemoryPool pool = MemoryPool.builder().decay(Duration.ofHours(1)).build()) {
            BlockAllocator blocks = pool.blocks();
            List<Long> all = new ArrayList<>();
            for (int i = 0; i < 10_000; i++) {
                all.add(blocks.allocateAddress(i));
            }
            assertThat(pool.stats().committedBytes()).isGreaterThan(10_000L * 10_000 / 2);
            all.forEach(blocks::freeAddress);
            assertThat(pool.trim()).isPositive();
            assertThat(pool.stats().committedBytes()).isZero();
        }
    }

    /** Frees of a thread's own blocks tell nobody: the task must have been woken before. */
    @Test
    void decay_freedByTheirThread_goBackInTheBackground() {
        for (boolean segments : new boolean[] {false, true}) {
            try (MemoryPool pool = MemoryPool.builder().decay(Duration.ofMillis(1)).build()) {
                BlockAllocator blocks = pool.blocks();
                List<Long> all = new ArrayList<>();
                for (int i = 0; i < 1000; i++) {
                    all.add(
                            segments
                                    ? blocks.allocate(100, 8).address()
                                    : blocks.allocateAddress(100));
                }
                assertThat(pool.stats().committedBytes()).isGreaterThan(100_000);
                all.forEach(blocks::freeAddress);
                Await.until("nothing is committed", () -> pool.stats().committedBytes() == 0);
            }
        }
    }

    @Test
    void blocks_andArenas_shareTheLimit() {
        try (MemoryPool pool = MemoryPool.builder().committedMaxBytes(16 * MIB).build()) {
            BlockAllocator blocks = pool.blocks();
            List<Long> all = new ArrayList<>();
            for (int i = 0; i < 12 * 1024; i++) {
                all.add(blocks.allocateAddress(1024));
            }
            try (Arena arena = pool.openConfined()) {
                assertThatExceptionOfType(OutOfMemoryError.class)
                        .isThrownBy(() -> arena.allocate(8 * MIB))
                        .withMessageContaining("committedMaxBytes=" + 16 * MIB);
                all.forEach(blocks::freeAddress);
                assertThat(arena.allocate(8 * MIB).byteSize()).isEqualTo(8 * MIB);
            }
        }
    }

    @Test
    void close_withBlocks_keepsThemUntilTheyAreFreed() {
        MemoryPool pool = MemoryPool.builder().build();
        BlockAllocator blocks = pool.blocks();
        MemorySegment segment = blocks.allocate(8, 8);
        long large = blocks.allocateAddress(5 * MIB);
        segment.set(ValueLayout.JAVA_LONG, 0, 42);
        pool.close();
        assertThatIllegalStateException().isThrownBy(() -> blocks.allocateAddress(8));
        assertThatIllegalStateException().isThrownBy(() -> blocks.allocateZeroedAddress(8, 16));
        assertThatIllegalStateException().isThrownBy(() -> blocks.allocateAddress(5 * MIB));
        assertThatIllegalStateException()
                .isThrownBy(() -> blocks.reallocateAddress(large, 50 * MIB));
        assertThat(segment.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(42);
        blocks.free(segment);
        blocks.freeAddress(large);
        pool.trim();
        assertThat(pool.stats().committedBytes()).isZero();
    }

    @Test
    void reallocate_closedPool_shrinksInPlace() {
        for (boolean checked : new boolean[] {false, true}) {
            for (LeakDetection leaks : new LeakDetection[] {LeakDetection.OFF, LeakDetection.ALL}) {
                for (long bytes : new long[] {1000, 100_000, 3 * MIB, 50 * MIB}) {
                    shrinkInClosedPool(checked, leaks, bytes);
                }
            }
        }
    }

    private static void shrinkInClosedPool(boolean checked, LeakDetection leaks, long bytes) {
        MemoryPool pool = MemoryPool.builder().checkBlocks(checked).leaks(leaks).build();
        BlockAllocator blocks = pool.blocks();
        MemorySegment segment = blocks.allocate(bytes, 16);
        segment.set(ValueLayout.JAVA_LONG, 0, bytes);
        pool.close();
        MemorySegment shrunk = blocks.reallocate(segment, 16);
        assertThat(shrunk.address()).isEqualTo(segment.address());
        assertThat(shrunk.byteSize()).isEqualTo(16);
        assertThat(shrunk.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(bytes);
        assertThat(blocks.reallocateAddress(shrunk.address(), 0)).isEqualTo(shrunk.address());
        assertThatIllegalStateException().isThrownBy(() -> blocks.reallocate(shrunk, bytes * 2));
        blocks.free(shrunk);
        pool.trim();
        assertThat(pool.stats().committedBytes()).isZero();
    }

    @Test
    void free_otherMemory_isRefused() {
        try (MemoryPool pool = MemoryPool.builder().name("here").build();
                MemoryPool other = MemoryPool.builder().name("elsewhere").build();
                Arena arena = pool.openConfined()) {
            BlockAllocator blocks = pool.blocks();
            long foreign = other.blocks().allocateAddress(10);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> blocks.freeAddress(foreign))
                    .withMessageContaining(
                            ", pool=here, the memory there belongs to blocks of pool elsewhere");
            MemorySegment ofArena = arena.allocate(10);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> blocks.free(ofArena))
                    .withMessageEndingWith("the memory there belongs to arenas of this pool");
            Page page = pool.pages().allocate(2 * MIB);
            long ofPage = page.segment(arena).address();
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> blocks.usableSize(ofPage))
                    .withMessageEndingWith("belongs to pages or heaps of this pool");
            page.close();
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> blocks.freeAddress(0))
                    .withMessageEndingWith("address=0x0, pool=here, no block is near");
            MemorySegment ofHeap = MemorySegment.ofArray(new byte[10]);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> blocks.free(ofHeap))
                    .withMessageContaining("native");
            other.blocks().freeAddress(foreign);
        }
    }

    @Test
    void allocateZeroed_usedMemory_readsAsZero() {
        forEachKindOfPool(
                blocks -> {
                    for (long bytes : new long[] {0, 1, 100, 1000, 5000, 300_000, 3 * MIB}) {
                        for (long alignment : new long[] {16, 256}) {
                            MemorySegment used = blocks.allocate(bytes, alignment);
                            used.fill((byte) 7);
                            blocks.free(used);
                            MemorySegment zero = blocks.allocateZeroed(bytes, alignment);
                            assertThat(zero.byteSize()).isEqualTo(bytes);
                            assertThat(zero.address() % alignment).isZero();
                            assertThat(Paint.isZero(zero)).isTrue();
                            blocks.free(zero.fill((byte) 7));
                            long again = blocks.allocateZeroedAddress(bytes, alignment);
                            assertThat(again % alignment).isZero();
                            assertThat(Paint.isZero(segment(again, bytes))).isTrue();
                            blocks.freeAddress(again);
                        }
                    }
                });
    }

    private static MemorySegment segment(long address, long bytes) {
        return Zeroing.ADDRESS_SPACE.asSlice(address, bytes);
    }

    @Test
    void reallocate_segment_keepsItsContentAndHasItsSize() {
        forEachKindOfPool(
                blocks -> {
                    MemorySegment segment = blocks.reallocate(MemorySegment.NULL, 8);
                    segment.set(ValueLayout.JAVA_LONG, 0, 42);
                    for (long bytes : new long[] {20, 16, 5000, 4000, 3 * MIB, 7 * MIB, MIB, 8}) {
                        segment = blocks.reallocate(segment, bytes);
                        assertThat(segment.byteSize()).isEqualTo(bytes);
                        assertThat(segment.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(42);
                        assertThat(blocks.usableSize(segment.address()))
                                .isGreaterThanOrEqualTo(bytes);
                    }
                    MemorySegment last = segment;
                    assertThatIllegalArgumentException()
                            .isThrownBy(() -> blocks.reallocate(last, -1));
                    assertThatIllegalArgumentException()
                            .isThrownBy(() -> blocks.reallocate(last.asSlice(4), 10));
                    assertThat(last.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(42);
                    blocks.free(last);
                });
    }

    /** Plain, checked, watched, and both: all must be free in the end. */
    private static void forEachKindOfPool(Consumer<BlockAllocator> use) {
        for (boolean checked : new boolean[] {false, true}) {
            for (LeakDetection leaks : new LeakDetection[] {LeakDetection.OFF, LeakDetection.ALL}) {
                try (MemoryPool pool =
                        MemoryPool.builder().checkBlocks(checked).leaks(leaks).build()) {
                    use.accept(pool.blocks());
                    assertThat(pool.stats().blocks().usedCount()).isZero();
                }
            }
        }
    }

    @Test
    void allocate_asSegmentAllocator_allocatesBlocks() {
        try (MemoryPool pool = MemoryPool.builder().build()) {
            BlockAllocator blocks = pool.blocks();
            SegmentAllocator allocator = blocks;
            MemorySegment text = allocator.allocateFrom("below sea level");
            assertThat(text.getString(0)).isEqualTo("below sea level");
            blocks.free(text);
        }
    }

    /** Uses blocks as they are without settings. */
    static final class PlainBlocks {
        public static void main(String[] args) {
            try (MemoryPool pool = MemoryPool.builder().build()) {
                pool.blocks().freeAddress(pool.blocks().allocateAddress(100));
                pool.blocks().free(pool.blocks().allocate(100, 1));
                System.out.println(pool.report());
            }
        }
    }

    /** Else each call looks which class it is, and what compilers know of a call ends there. */
    @Test
    void blocks_neitherCheckedNorWatched_areOfTheOnlyClassThatIsLoaded() {
        ChildJvm.Result result =
                ChildJvm.program(
                        List.of("-Xlog:class+load", ChildJvm.NATIVE_ACCESS), PlainBlocks.class);
        assertThat(result.exitCode()).as(result.err()).isZero();
        assertThat(result.out())
                .contains("io.polder.block.BlockSpace source:")
                .doesNotContain("io.polder.block.CheckedBlocks source:")
                .doesNotContain("io.polder.block.WatchedBlocks source:");
    }

    @Test
    void blocks_nativeAccessDenied_areRefused() {
        try (MemoryPool pool = WatchedPool.denied()) {
            assertThatExceptionOfType(UnsupportedOperationException.class)
                    .isThrownBy(pool::blocks)
                    .withMessageContaining("--enable-native-access")
                    .withMessageContaining("denied for a test");
        }
    }

    @Test
    void stats_blocks_areBySizeAndCountWhatIsLeftAtClose() {
        MemoryPool pool = MemoryPool.builder().build();
        BlockAllocator blocks = pool.blocks();
        assertThat(pool.stats().blocks().usedCount()).isZero();
        long small = blocks.allocateAddress(100);
        long other = blocks.allocateAddress(100);
        long large = blocks.allocateAddress(3 * MIB);
        PoolStatistics.Blocks stats = pool.stats().blocks();
        assertThat(stats.usedCount()).isEqualTo(3);
        assertThat(stats.usedBytes()).isEqualTo(2 * 112 + 4 * MIB);
        assertThat(stats.sizes())
                .extracting(PoolStatistics.BlockSize::blockBytes)
                .containsExactly(112L, 4 * MIB);
        assertThat(stats.sizes().getFirst().usedCount()).isEqualTo(2);
        assertThat(pool.report()).contains("112: 2 used").contains("Total: 3 blocks");
        blocks.freeAddress(other);
        pool.close();
        assertThat(pool.stats().blocks().leftAtClose()).isEqualTo(2);
        assertThat(pool.report()).contains("Used when the pool was closed: 2 blocks");
        blocks.freeAddress(small);
        blocks.freeAddress(large);
    }
}
