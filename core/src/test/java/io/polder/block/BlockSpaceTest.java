package io.polder.block;

import static io.polder.memory.Zeroing.ADDRESS_SPACE;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.fail;

import io.polder.Await;
import io.polder.BlockAllocator;
import io.polder.MemoryPool;
import io.polder.arena.OtherThread;
import io.polder.arena.SlabAudit;
import io.polder.memory.Errno;
import io.polder.memory.FailingMemoryProvider.Call;

import org.junit.jupiter.api.Test;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Blocks of one thread. */
class BlockSpaceTest extends BlockFixture {
    @Test
    void allocate_everySize_isAlignedUsableAndItsOwn() {
        BlockSpace space = space();
        List<Long> blocks = new ArrayList<>();
        for (long bytes = 0; bytes <= 3 * MIB; bytes += 1 + bytes / 9) {
            long block = space.allocate(bytes);
            assertThat(block % SizeClass.GRAIN_BYTES).isZero();
            long size = space.usableSize(block);
            assertThat(size).isGreaterThanOrEqualTo(bytes);
            ADDRESS_SPACE.asSlice(block, size).fill((byte) blocks.size());
            blocks.add(block);
        }
        for (int i = 0; i < blocks.size(); i++) {
            long block = blocks.get(i);
            assertThat(filledWith(block, space.usableSize(block), (byte) i)).isTrue();
            space.free(block);
        }
    }

    @Test
    void allocate_nothing_isABlockOfItsOwn() {
        BlockSpace space = space();
        long one = space.allocate(0);
        long other = space.allocate(0);
        assertThat(one).isNotEqualTo(other);
        space.free(one);
        space.free(other);
    }

    @Test
    void allocate_freedOne_isTheSameAgain() {
        BlockSpace space = space();
        long block = space.allocate(100);
        space.free(block);
        assertThat(space.allocate(100)).isEqualTo(block);
        space.free(block);
    }

    @Test
    void allocate_aligned_isAMultiple() {
        BlockSpace space = space();
        for (long alignment = 1; alignment <= 2 * MIB; alignment *= 2) {
            for (long bytes : new long[] {0, 1, 24, 100, 5000, 70_000, MIB, 3 * MIB}) {
                long block = space.allocate(bytes, alignment, false);
                assertThat(block % alignment).isZero();
                assertThat(space.usableSize(block)).isGreaterThanOrEqualTo(bytes);
                space.free(block);
            }
        }
    }

    @Test
    void allocateZeroed_usedMemory_readsAsZero() {
        BlockSpace space = space();
        for (long bytes : new long[] {1, 16, 100, 1000, 3000, 9000, 100_000, MIB, 3 * MIB}) {
            long block = space.allocate(bytes);
            long size = space.usableSize(block);
            ADDRESS_SPACE.asSlice(block, size).fill((byte) 7);
            space.free(block);
            long zeroed = space.allocate(bytes, 16, true);
            assertThat(filledWith(zeroed, space.usableSize(zeroed), (byte) 0)).isTrue();
            space.free(zeroed);
        }
    }

    @Test
    void free_emptySpan_goesToAnotherSize() {
        BlockSpace space = space();
        List<Long> blocks = new ArrayList<>();
        for (int i = 0; i < 3 * 64; i++) {
            blocks.add(space.allocate(1024));
        }
        for (long block : blocks) {
            space.free(block);
        }
        assertThat(space.empties.count()).as("all but the one at hand").isEqualTo(2);
        Set<Long> bases = new HashSet<>();
        blocks.forEach(block -> bases.add(block & -SpanMap.UNIT_BYTES));
        long other = space.allocate(48);
        assertThat(bases).contains(other & -SpanMap.UNIT_BYTES);
        space.free(other);
    }

    @Test
    void tick_twoAfterAllWasFreed_leavesNoSpan() {
        BlockSpace space = space();
        List<Long> blocks = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            blocks.add(space.allocate(16L * i));
        }
        for (long block : blocks) {
            space.free(block);
        }
        assertThat(space.tick()).isTrue();
        while (space.tick()) {
            assertThat(space.map.spans()).isNotEmpty();
        }
        assertThat(space.map.spans()).isEmpty();
        assertThat(parts(space).chunks().statistics().usedBytes()).isZero();
    }

    @Test
    void tick_betweenUses_keepsWhatIsUsed() {
        BlockSpace space = space();
        long block = space.allocate(100);
        ADDRESS_SPACE.asSlice(block, 100).fill((byte) 9);
        for (int i = 0; i < 5; i++) {
            boolean _ = space.tick();
            trim(parts(space));
        }
        assertThat(filledWith(block, 100, (byte) 9)).isTrue();
        space.free(block);
    }

    /** Who has the space keeps it as long as it has spans: a block may still be freed. */
    @Test
    void tick_largeBlockUsed_rests() {
        BlockSpace space = space();
        assertThat(space.hasSpans()).isFalse();
        long block = space.allocate(3 * MIB);
        assertThat(space.tick()).isFalse();
        assertThat(space.hasSpans()).isTrue();
        space.free(block);
        int ticks = 0;
        while (space.tick()) {
            assertThat(++ticks).isLessThan(5);
        }
        assertThat(space.map.spans()).isEmpty();
        assertThat(space.hasSpans()).isFalse();
    }

    @Test
    void allocate_overTheLimit_namesItAndWorksAfterAFree() {
        BlockSpace space = space(4 * MIB);
        List<Long> blocks = new ArrayList<>();
        assertThatExceptionOfType(OutOfMemoryError.class)
                .isThrownBy(
                        () -> {
                            while (true) {
                                blocks.add(space.allocate(1000));
                            }
                        })
                .withMessageContaining("committedMaxBytes=" + 4 * MIB);
        assertThat(blocks.size()).isGreaterThan((int) (3 * MIB / 1024));
        BlockCheck.verifyAtRest(space);
        space.free(blocks.removeLast());
        blocks.add(space.allocate(1000));
        blocks.forEach(space::free);
        long whole = space.allocate(MIB);
        space.free(whole);
    }

    @Test
    void allocate_largeOverTheLimit_hasWhatSmallOnesGaveBack() {
        BlockSpace space = space(8 * MIB);
        List<Long> blocks = new ArrayList<>();
        for (int i = 0; i < 5 * 1024; i++) {
            blocks.add(space.allocate(1024));
        }
        assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> space.allocate(6 * MIB));
        blocks.forEach(space::free);
        space.free(space.allocate(6 * MIB));
    }

    @Test
    void allocate_aTickMadeTheRoom_isNotRefused() {
        BlockSpace space = space(4 * MIB);
        roomIsTold = false;
        for (long bytes : new long[] {3 * MIB, MIB, 3 * MIB, 900_000, 2 * MIB}) {
            space.free(space.allocate(MIB));
            space.free(space.allocateSegment(bytes, 16, false).address());
            space.free(space.allocate(bytes));
        }
    }

    @Test
    void trim_ownerWasCutOffInside_hasItsMemoryAfterItsNextCall() {
        BlockSpace space = space();
        long block = space.allocate(100);
        ThreadHeap own = space.owners.of(Thread.currentThread());
        boolean _ = own.enter(Thread.currentThread().threadId()); // and never leaves
        for (boolean freed : new boolean[] {false, true}) {
            if (freed) {
                space.free(block);
            }
            boolean _ =
                    OtherThread.platform(
                            () -> {
                                trim(parts(space));
                                return true;
                            });
            assertThat(committedBytes(space) == 0).isEqualTo(freed);
        }
    }

    @Test
    void isAnybodyInside_ownerIsInTheMiddleOfACall_untilThatHasEnded() {
        BlockSpace space = space();
        long block = space.allocate(100);
        ThreadHeap own = space.owners.of(Thread.currentThread());
        boolean entered = own.enter(Thread.currentThread().threadId());
        assertThat(OtherThread.platform(space::isAnybodyInside)).isEqualTo(entered);
        own.leave();
        assertThat(OtherThread.platform(space::isAnybodyInside)).isFalse();
        space.free(block);
    }

    /** Such a free tells nobody, so the background has to look again by itself. */
    @Test
    void close_ownerIsInTheMiddleOfTheLastFree_poolIsReleased() throws Exception {
        MemoryPool pool = MemoryPool.builder().name("untold").decay(Duration.ofMillis(5)).build();
        BlockAllocator blocks = pool.blocks();
        long block = blocks.allocateAddress(100);
        BlockSpace space = (BlockSpace) SlabAudit.field(blocks, "space");
        Span span = space.map.find(block);
        boolean entered = span.owner.enter(Thread.currentThread().threadId());
        boolean _ =
                OtherThread.platform(
                        () -> {
                            pool.close();
                            return true;
                        });
        Thread.sleep(100); // many ticks, if there are any
        if (entered) {
            span.put(block);
            span.owner.leave();
        } else {
            blocks.freeAddress(block);
        }
        Await.until("the pool is released", () -> pool.stats().reservedBytes() == 0);
    }

    @Test
    void allocate_callsThatFail_changesNothing() {
        BlockSpace space = space();
        for (Call call : new Call[] {Call.RESERVE, Call.COMMIT}) {
            provider.failAlways(call, Errno.ENOMEM);
            for (long bytes : new long[] {10, 5000, 100_000, MIB, 5 * MIB}) {
                assertThatExceptionOfType(OutOfMemoryError.class)
                        .isThrownBy(() -> space.allocate(bytes));
                BlockCheck.verifyAtRest(space);
            }
            provider.heal();
        }
        space.free(space.allocate(10));
    }

    @Test
    void allocate_badSizes_areRefused() {
        BlockSpace space = space();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> space.allocate(-1))
                .withMessage("0 <= bytes: bytes=-1");
        assertThatIllegalArgumentException().isThrownBy(() -> space.allocate(-1, 16, true));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> space.allocate(Long.MIN_VALUE, 8, false));
        assertThatExceptionOfType(OutOfMemoryError.class)
                .isThrownBy(() -> space.allocate(Long.MAX_VALUE))
                .withMessageContaining("address space");
        for (long alignment : new long[] {0, -1, 3, 24, 4 * MIB, Long.MIN_VALUE}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> space.allocate(1, alignment, false))
                    .withMessageContaining("alignment=" + alignment);
        }
    }

    @Test
    void free_whatIsNoBlock_isRefusedAndHarmsNothing() {
        BlockSpace space = space();
        long block = space.allocate(100);
        long large = space.allocate(3 * MIB);
        long[] wrong = {
            0,
            1,
            -1,
            block + 1,
            block + 16,
            block - 64 * KIB,
            block + 64 * KIB,
            large + 16,
            large + 64 * KIB,
            Long.MIN_VALUE,
            block + 112 * 100
        };
        for (long address : wrong) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> space.free(address))
                    .withMessageContaining("address=0x" + Long.toHexString(address));
            assertThatIllegalArgumentException().isThrownBy(() -> space.usableSize(address));
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> space.free(block + 16))
                .withMessageContaining("block=0x" + Long.toHexString(block))
                .withMessageContaining("blockBytes=112");
        space.free(block);
        space.free(large);
        assertThatIllegalArgumentException().isThrownBy(() -> space.free(block));
        assertThatIllegalArgumentException().isThrownBy(() -> space.free(large));
        assertThatIllegalArgumentException().isThrownBy(() -> space.reallocate(block, 10));
    }

    @Test
    void allocateSegment_always_hasItsBoundsAndContent() {
        BlockSpace space = space();
        MemorySegment segment = space.allocateSegment(100, 64, false);
        assertThat(segment.byteSize()).isEqualTo(100);
        assertThat(segment.address() % 64).isZero();
        segment.setString(0, "hello");
        assertThat(segment.getString(0)).isEqualTo("hello");
        space.free(segment.address());
    }

    @Test
    void carving_one_commitsAnOsPage() {
        BlockSpace space = space();
        long block = space.allocate(16);
        assertThat(committedBytes(space)).isEqualTo(provider.osPageSize());
        space.free(block);
    }

    @Test
    void largeSizes_oneAfterAnother_useMemoryAgain() {
        BlockSpace space = space();
        long most = 0;
        for (int sizeClass = SizeClass.of(64 * KIB + 1); sizeClass < SizeClass.COUNT; sizeClass++) {
            space.free(space.allocate(SizeClass.bytes(sizeClass)));
            most = Math.max(most, committedBytes(space));
        }
        assertThat(most).isEqualTo((128 + 256 + 512 + 1024) * KIB);
    }

    @Test
    void largeSizes_manyAtATime_areApartAndGoBack() {
        BlockSpace space = space();
        List<Long> blocks = new ArrayList<>();
        for (int round = 0; round < 3; round++) {
            for (int sizeClass = SizeClass.of(64 * KIB + 1);
                    sizeClass < SizeClass.COUNT;
                    sizeClass++) {
                long block = space.allocate(SizeClass.bytes(sizeClass));
                assertThat(space.usableSize(block)).isEqualTo(SizeClass.bytes(sizeClass));
                blocks.add(block);
            }
        }
        assertThat(blocks).doesNotHaveDuplicates();
        blocks.forEach(space::free);
        BlockCheck.verifyAtRest(space);
        long _ = space.trim();
        space.map((_, _, _) -> fail("nothing has blocks"));
    }

    /** Who waits for the memory of a closed space asks nobody else when the last block is freed. */
    @Test
    void free_closedSpace_tellsOfEach() {
        BlockSpace space = space();
        List<Long> blocks = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            blocks.add(space.allocate(100));
        }
        space.close();
        for (long block : blocks) {
            told.set(0);
            space.free(block);
            assertThat(told.get()).isPositive();
        }
    }

    /** As an error leaves it between the free by another thread and what that tells the owner. */
    @Test
    void lostBytes_closedSpace_countWhatIsAnnouncedAndInNoList() {
        BlockSpace space = space();
        long block = space.allocate(100);
        assertThat(space.map.find(block).addFreed(block)).isTrue();
        long _ = space.trim();
        assertThat(space.lost().chunkBytes).as("while the space is open").isZero();
        space.close();
        assertThat(space.lost().chunkBytes).as("it may be about to tell").isZero();
        space.lost.announcements++;
        long _ = space.trim();
        assertThat(space.lost().chunkBytes).isEqualTo(64 * KIB);
        assertThat(space.hasSpans()).isFalse();
        parts(space).chunks().close(64 * KIB);
    }

    @Test
    void lostBytes_closedSpace_countSpansIfAllBlocksAreLost() {
        BlockSpace space = space();
        long lost = space.allocate(100);
        long used = space.allocate(100);
        long large = space.allocate(3 * MIB);
        space.lost.blocks += 2; // as handlers of errors do: the first, and the large one
        assertThat(space.lost().chunkBytes).as("while the space is open").isZero();
        space.close();
        assertThat(space.lost().chunkBytes).as("while a block is used").isZero();
        assertThat(space.lost().pageBytes).isZero();
        space.free(used);
        assertThat(space.lost().chunkBytes).isEqualTo(64 * KIB);
        assertThat(space.lost().pageBytes).isEqualTo(4 * MIB);
        assertThatIllegalArgumentException().isThrownBy(() -> space.free(lost));
        assertThatIllegalArgumentException().isThrownBy(() -> space.free(large));
        Parts parts = parts(space);
        assertThatIllegalStateException().isThrownBy(() -> parts.chunks().close());
        assertThatIllegalStateException().isThrownBy(() -> parts.pages().close());
        parts.chunks().close(64 * KIB);
        parts.pages().close(4 * MIB);
    }
}
