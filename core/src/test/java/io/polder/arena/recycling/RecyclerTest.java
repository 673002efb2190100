package io.polder.arena.recycling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** What is freed is used again: where, for which requests, and when the arena must grow. */
class RecyclerTest extends RecyclerFixture {
    @ParameterizedTest
    @ValueSource(longs = {0, 1, 2, 15, 16, 17, 100, 1024, 1025, 4096, 65_537, 1 << 20, 4 << 20})
    void allocate_sameSizeAsJustFreed_comesBackWithoutGrowth(long size) {
        MemorySegment first = allocate(size);
        MemorySegment above = allocate(16);
        long handedOut = arena.handedOutBytes();
        for (int i = 0; i < 5; i++) {
            recycler.free(first);
            MemorySegment again = allocate(size);
            assertThat(again.address()).isEqualTo(first.address());
            assertThat(arena.handedOutBytes()).isEqualTo(handedOut);
        }
        recycler.free(above);
        verify();
    }

    @Test
    void allocate_otherSizeOfTheSameExtent_comesBackWithThatSize() {
        MemorySegment first = allocate(20);
        recycler.free(first);
        MemorySegment again = allocate(32);
        assertThat(again.address()).isEqualTo(first.address());
        recycler.free(again);
        assertThat(allocate(17).address()).isEqualTo(first.address());
    }

    @Test
    void allocate_afterManyWereFreed_usesThemUpBeforeItGrows() {
        MemorySegment[] segments = new MemorySegment[1000];
        for (int i = 0; i < segments.length; i++) {
            segments[i] = allocate(40);
        }
        long handedOut = arena.handedOutBytes();
        for (MemorySegment each : segments) {
            recycler.free(each);
        }
        assertThat(recycler.freeBytes()).isEqualTo(handedOut);
        for (int i = 0; i < segments.length; i++) {
            allocate(40);
        }
        assertThat(arena.handedOutBytes()).isEqualTo(handedOut);
        assertThat(recycler.freeBytes()).isZero();
    }

    @ParameterizedTest
    @ValueSource(longs = {30, 17, 50, 10, 28, 32, 51, 35, 1, 16, 33, 52})
    void allocate_severalBlocksFit_takesTheSmallest(long grains) {
        checkBestFit(grains, 16, new long[] {30, 17, 50, 10, 28, 32, 51, 35});
    }

    @ParameterizedTest
    @ValueSource(longs = {300, 170, 500, 100, 280, 320, 510, 350, 65, 160, 330, 520})
    void allocate_severalLargeBlocksFit_takesTheSmallest(long grains) {
        checkBestFit(grains, 16, new long[] {300, 170, 500, 100, 280, 320, 510, 350});
    }

    @ParameterizedTest
    @ValueSource(longs = {32, 64, 256, 4096, 65_536})
    void allocate_aligned_takesTheSmallestThatHoldsItAligned(long alignment) {
        checkBestFit(10, alignment, new long[] {30, 17, 50, 10, 28, 32, 51, 35});
    }

    @ParameterizedTest
    @ValueSource(longs = {32, 64, 256, 4096, 65_536})
    void allocate_largeAligned_takesTheSmallestThatHoldsItAligned(long alignment) {
        checkBestFit(100, alignment, new long[] {300, 170, 500, 100, 280, 320, 510, 350});
    }

    /** Frees blocks that do not touch, and asks for so many grains. */
    private void checkBestFit(long grains, long alignment, long[] blocks) {
        long bytes = grains * BlockTable.GRAIN_BYTES;
        MemorySegment[] freed = new MemorySegment[blocks.length];
        for (int i = 0; i < blocks.length; i++) {
            freed[i] = allocate(blocks[i] * BlockTable.GRAIN_BYTES);
            allocate(1);
        }
        long best = 0;
        long bestSize = Long.MAX_VALUE;
        for (MemorySegment each : freed) {
            recycler.free(each);
            long start = FreeBlocks.alignUp(each.address(), alignment);
            boolean fits = bytes <= each.address() + each.byteSize() - start;
            if (fits && each.byteSize() < bestSize) {
                bestSize = each.byteSize();
                best = start;
            }
        }
        recycler.free(allocate(1)); // so that none is recent
        long handedOut = arena.handedOutBytes();
        MemorySegment got = allocate(bytes, alignment);
        if (best == 0) {
            assertThat(arena.handedOutBytes()).isEqualTo(handedOut + bytes);
        } else {
            assertThat(got.address()).isEqualTo(best);
            assertThat(arena.handedOutBytes()).isEqualTo(handedOut);
        }
        verify();
    }

    @Test
    void allocate_smallFromLarge_leavesTheRestUsable() {
        MemorySegment large = allocate(10 << 10);
        recycler.free(large);
        long handedOut = arena.handedOutBytes();
        for (long used = 0; used < large.byteSize(); used += 128) {
            assertThat(allocate(128).address()).isEqualTo(large.address() + used);
        }
        assertThat(arena.handedOutBytes()).isEqualTo(handedOut);
        assertThat(recycler.freeBytes()).isZero();
    }

    @Test
    void free_neighboursInAnyOrder_coalesces() {
        int[][] orders = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
        for (int[] order : orders) {
            MemorySegment[] parts = {allocate(48), allocate(2000), allocate(80)};
            for (int part : order) {
                recycler.free(parts[part]);
                verify();
            }
            long handedOut = arena.handedOutBytes();
            MemorySegment whole = allocate(48 + 2000 + 80);
            assertThat(whole.address()).isEqualTo(parts[0].address());
            assertThat(arena.handedOutBytes()).isEqualTo(handedOut);
            arena.leaveGap(16);
        }
    }

    @Test
    void free_aroundAGap_staysApart() {
        MemorySegment below = allocate(64);
        arena.leaveGap(16);
        MemorySegment above = allocate(64);
        recycler.free(below);
        recycler.free(above);
        long handedOut = arena.handedOutBytes();
        allocate(128);
        assertThat(arena.handedOutBytes()).isEqualTo(handedOut + 128);
    }

    @Test
    void allocate_aligned_leavesTheFrontUsable() {
        allocate(16);
        MemorySegment large = allocate(3 * 4096);
        recycler.free(large);
        long handedOut = arena.handedOutBytes();
        MemorySegment aligned = allocate(4096, 4096);
        assertThat(aligned.address()).isGreaterThan(large.address());
        long front = aligned.address() - large.address();
        assertThat(allocate(front).address()).isEqualTo(large.address());
        assertThat(arena.handedOutBytes()).isEqualTo(handedOut);
    }

    @Test
    void allocate_alignmentThatRecentHasNot_goesElsewhere() {
        allocate(16);
        MemorySegment first = allocate(64, 16);
        assertThat(first.address() % 4096).isNotZero();
        recycler.free(first);
        assertThat(allocate(64, 4096).address()).isNotEqualTo(first.address());
    }

    @Test
    void allocate_noBytes_hasAnAddressOfItsOwn() {
        MemorySegment first = allocate(0);
        MemorySegment second = allocate(0);
        assertThat(first.address()).isNotEqualTo(second.address());
        recycler.free(first);
        assertThat(recycler.allocatedCount()).isOne();
        assertThat(allocate(0).address()).isEqualTo(first.address());
    }

    @Test
    void counts_always_sayWhatIsAllocatedAndWhatIsFree() {
        assertThat(recycler.allocatedBytes()).isZero();
        assertThat(recycler.freeBytes()).isZero();
        MemorySegment first = allocate(20);
        allocate(0);
        assertThat(recycler.allocatedBytes()).isEqualTo(48);
        assertThat(recycler.allocatedCount()).isEqualTo(2);
        recycler.free(first);
        assertThat(recycler.allocatedBytes()).isEqualTo(16);
        assertThat(recycler.allocatedCount()).isOne();
        assertThat(recycler.freeBytes()).isEqualTo(32);
        allocate(1);
        assertThat(recycler.allocatedBytes()).isEqualTo(32);
        assertThat(recycler.freeBytes()).isEqualTo(16);
    }

    @Test
    void allocate_arenaIsExhausted_changesNothing() {
        MemorySegment[] kept = {allocate(64), allocate(64), allocate(64)};
        recycler.free(kept[1]);
        arena.exhaust();
        long handedOut = arena.handedOutBytes();
        for (int i = 0; i < 3; i++) {
            assertThatExceptionOfType(OutOfMemoryError.class)
                    .isThrownBy(() -> recycler.allocate(65, 1))
                    .withMessageStartingWith("the test's limit");
            verify();
            assertThat(recycler.allocatedCount()).isEqualTo(2);
            assertThat(recycler.freeBytes()).isEqualTo(64);
            assertThat(arena.handedOutBytes()).isEqualTo(handedOut);
        }
        assertThat(allocate(64).address()).isEqualTo(kept[1].address());
        arena.refill();
        allocate(65);
    }

    @Test
    void allocate_sizeThatNoSystemHas_isOutOfMemory() {
        MemorySegment first = allocate(64);
        recycler.free(first);
        for (long size : new long[] {1L << 60, Long.MAX_VALUE - 15, Long.MAX_VALUE}) {
            assertThatExceptionOfType(OutOfMemoryError.class)
                    .isThrownBy(() -> recycler.allocate(size, 1));
        }
        assertThatExceptionOfType(OutOfMemoryError.class)
                .isThrownBy(() -> recycler.allocate(8, 1L << 62));
        verify();
        assertThat(recycler.freeBytes()).isEqualTo(64);
    }

    @Test
    void free_whereNothingMayBeRecycled_checksAndForgets() {
        try (Arena jdks = Arena.ofConfined()) {
            Recycler checking = new Recycler(jdks, false);
            MemorySegment first = checking.allocate(24, 8);
            MemorySegment second = checking.allocate(24, 8);
            checking.free(first);
            assertThat(checking.allocatedBytes()).isEqualTo(32);
            assertThat(checking.freeBytes()).isZero();
            assertThatExceptionOfType(IllegalArgumentException.class)
                    .isThrownBy(() -> checking.free(first));
            assertThat(checking.allocate(24, 8).address()).isNotEqualTo(first.address());
            checking.free(second);
            checking.verify();
        }
    }

    @Test
    void free_hundredThousandInAnyOrder_becomesOneBlock() {
        MemorySegment[] segments = new MemorySegment[100_000];
        for (int i = 0; i < segments.length; i++) {
            segments[i] = recycler.allocate(16 + i % 5 * 16, 1);
        }
        for (int step = 0; step < segments.length; step++) {
            recycler.free(segments[(int) (step * 7919L % segments.length)]);
        }
        verify();
        assertThat(recycler.allocatedCount()).isZero();
        long handedOut = arena.handedOutBytes();
        allocate(handedOut); // all of it is one block again
        assertThat(arena.handedOutBytes()).isEqualTo(handedOut);
    }
}
