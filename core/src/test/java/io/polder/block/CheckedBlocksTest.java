package io.polder.block;

import static io.polder.memory.Zeroing.ADDRESS_SPACE;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.polder.Await;
import io.polder.FreesBlocks;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** Each misuse of blocks that are checked is found, and harms nothing. */
class CheckedBlocksTest extends BlockFixture {
    /** So many of a class are freed that the first of them is used again. */
    private static final int ENOUGH = Quarantine.COUNT_MIN + 1;

    /** Blocks of each kind. */
    enum Shape {
        NOTHING(0, 16),
        ONE_BYTE(1, 16),
        SMALL(100, 16),
        WHOLE_CLASS(112, 16),
        ALIGNED(100, 256),
        OS_PAGE(4096, 4096),
        MIDDLE(5000, 16),
        LARGE_CLASS(100_000, 16),
        PAGE(2 << 20, 16),
        PAGE_ALIGNED(100, 2 << 20);

        private final long bytes;
        private final long alignment;

        Shape(long bytes, long alignment) {
            this.bytes = bytes;
            this.alignment = alignment;
        }

        long allocate(Blocks blocks) {
            return blocks.allocate(bytes, alignment, false);
        }

        boolean isLarge() {
            return Math.max(bytes + CheckedBlock.GUARD_BYTES, alignment) > SizeClass.BYTES_MAX;
        }
    }

    private static void write(long address) {
        ADDRESS_SPACE.set(ValueLayout.JAVA_BYTE, address, (byte) 1);
    }

    private static String hex(long address) {
        return "address=0x" + Long.toHexString(address) + ",";
    }

    private static void inThread(Runnable work) throws InterruptedException {
        Throwable[] thrown = new Throwable[1];
        Thread thread =
                Thread.ofPlatform()
                        .name("other")
                        .uncaughtExceptionHandler((_, failure) -> thrown[0] = failure)
                        .start(work);
        Await.end(thread);
        if (thrown[0] != null) {
            throw new AssertionError(thrown[0]);
        }
    }

    @ParameterizedTest
    @EnumSource
    void free_twice_isRefusedAndNamesWhoFreedItFirst(Shape shape) throws InterruptedException {
        Blocks blocks = checked(space());
        long block = shape.allocate(blocks);
        long beside = shape.allocate(blocks);
        inThread(() -> FreesBlocks.freeHere(blocks::free, block));
        for (int again = 0; again < 2; again++) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> blocks.free(block))
                    .withMessageStartingWith("a block must not be freed twice: " + hex(block))
                    .withMessageContaining(", bytes=" + shape.bytes + ", state=free, thread=other")
                    .withMessageContaining("blockBytes=")
                    .withMessageContaining("FreesBlocks.freeHere");
        }
        BlockCheck.verifyAtRest(blocks);
        blocks.free(beside);
    }

    @ParameterizedTest
    @EnumSource
    void free_twiceWithATrimBetween_isRefused(Shape shape) {
        Blocks blocks = checked(space());
        long block = shape.allocate(blocks);
        blocks.free(block);
        assertThat(spaceOf(blocks).trim()).isPositive();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> blocks.free(block))
                .withMessageContaining(hex(block));
    }

    @Test
    void free_onceMoreByManyThreads_succeedsOnce() throws InterruptedException {
        Blocks blocks = checked(space());
        for (int round = 0; round < 200; round++) {
            long block = blocks.allocate(64);
            AtomicInteger freed = new AtomicInteger();
            AtomicInteger refused = new AtomicInteger();
            CountDownLatch start = new CountDownLatch(1);
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                threads.add(
                        Thread.ofPlatform()
                                .start(
                                        () -> {
                                            Await.open(start);
                                            try {
                                                blocks.free(block);
                                                freed.incrementAndGet();
                                            } catch (IllegalArgumentException twice) {
                                                refused.incrementAndGet();
                                            }
                                        }));
            }
            start.countDown();
            for (Thread thread : threads) {
                Await.end(thread);
            }
            assertThat(freed.get()).isEqualTo(1);
            assertThat(refused.get()).isEqualTo(2);
        }
    }

    @ParameterizedTest
    @EnumSource
    void free_writtenBehindItsEnd_isRefusedOnceAndHarmsNothing(Shape shape) {
        Blocks blocks = checked(space());
        long block = shape.allocate(blocks);
        for (long offset : new long[] {shape.bytes, shape.bytes + 7, shape.bytes + 15}) {
            write(block + offset);
            assertThatIllegalStateException()
                    .isThrownBy(() -> blocks.free(block))
                    .withMessageStartingWith(
                            "what is behind the end of a block must not be written to: "
                                    + hex(block))
                    .withMessageContaining(
                            ", bytes=" + shape.bytes + ", state=used, offset=" + offset);
            assertThat(blocks.usableSize(block)).as("it is used").isEqualTo(shape.bytes);
        }
        BlockCheck.verifyAtRest(blocks);
        blocks.free(block);
    }

    @Test
    void free_writtenToItsEnd_isNotRefused() {
        Blocks blocks = checked(space());
        for (Shape shape : Shape.values()) {
            long block = shape.allocate(blocks);
            assertThat(blocks.usableSize(block)).isEqualTo(shape.bytes);
            ADDRESS_SPACE.asSlice(block, shape.bytes).fill((byte) 1);
            blocks.free(block);
        }
    }

    @ParameterizedTest
    @EnumSource
    void allocate_writtenToAfterItWasFreed_isRefusedOnceAndNamesWhoFreedIt(Shape shape)
            throws InterruptedException {
        if (shape.isLarge()) {
            return; // found by a trim, below
        }
        Blocks blocks = checked(space());
        List<Long> all = new ArrayList<>();
        for (int i = 0; i < ENOUGH; i++) {
            all.add(shape.allocate(blocks));
        }
        inThread(() -> FreesBlocks.freeHere(blocks::free, all.getFirst()));
        all.subList(1, ENOUGH).forEach(blocks::free);
        write(all.getFirst() + shape.bytes / 2);
        assertThatIllegalStateException()
                .isThrownBy(() -> shape.allocate(blocks))
                .withMessageStartingWith(
                        "a block must not be written to after it was freed: " + hex(all.getFirst()))
                .withMessageContaining("state=free, offset=" + shape.bytes / 2 + ", thread=other")
                .withMessageContaining("FreesBlocks.freeHere");
        BlockCheck.verifyAtRest(blocks);
        long block = shape.allocate(blocks);
        assertThat(block).isEqualTo(all.getFirst());
        blocks.free(block);
    }

    @Test
    void allocate_byAnotherThreadThanFreed_findsWhatWasWrittenInBetween()
            throws InterruptedException {
        Blocks blocks = checked(space());
        List<Long> all = new ArrayList<>();
        for (int i = 0; i < ENOUGH; i++) {
            all.add(blocks.allocate(64));
        }
        all.forEach(blocks::free);
        write(all.getFirst());
        inThread(
                () -> {
                    assertThatIllegalStateException()
                            .isThrownBy(() -> blocks.allocate(64))
                            .withMessageContaining(hex(all.getFirst()));
                    blocks.free(blocks.allocate(64));
                });
    }

    @ParameterizedTest
    @EnumSource
    void trim_writtenToAfterItWasFreed_isToldToWhoComesNext(Shape shape) {
        BlockSpace space = space();
        Blocks blocks = checked(space);
        long block = shape.allocate(blocks);
        blocks.free(block);
        write(block);
        long _ = spaceOf(blocks).trim();
        assertThatIllegalStateException()
                .isThrownBy(() -> blocks.allocate(1))
                .withMessageContaining("after it was freed: " + hex(block));
        assertThat(space.map.spans()).as("its memory is nobody else's").isNotEmpty();
        assertThat(spaceOf(blocks).trim()).isPositive();
        assertThat(space.map.spans()).isEmpty();
    }

    /** The guard is gone, and what lies behind it, which nobody has allocated yet. */
    @ParameterizedTest
    @EnumSource
    void free_writtenFarBehindItsEnd_harmsNobodyElse(Shape shape) {
        BlockSpace space = space();
        Blocks blocks = checked(space);
        long block = shape.allocate(blocks);
        long room = CheckedBlock.GUARD_BYTES + 24;
        boolean inside = space.map.find(block).covers(block + shape.bytes + room);
        for (long at = 0; inside && at < room; at++) {
            write(block + shape.bytes + at);
        }
        if (inside) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> blocks.free(block))
                    .withMessageStartingWith("what is behind the end of a block");
        }
        List<Long> others = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            others.add(shape.allocate(blocks));
        }
        assertThat(others).doesNotHaveDuplicates().doesNotContain(block);
        BlockCheck.verifyAtRest(blocks);
        blocks.free(block);
        others.forEach(blocks::free);
        assertThat(spaceOf(blocks).trim()).isPositive();
        assertThat(spaceOf(blocks).untold()).isNull();
    }

    @Test
    void trim_severalWrittenAfterTheyWereFreed_tellsOfEach() {
        Blocks blocks = checked(space());
        List<Long> freed = new ArrayList<>();
        for (long bytes : new long[] {100, 3000, 5000}) {
            freed.add(blocks.allocate(bytes));
        }
        freed.forEach(blocks::free);
        freed.forEach(CheckedBlocksTest::write);
        long _ = spaceOf(blocks).trim();
        List<String> told = new ArrayList<>();
        BlockSpace space = spaceOf(blocks);
        for (RuntimeException what = space.untold(); what != null; what = space.untold()) {
            told.add(what.getMessage());
        }
        assertThat(told).hasSize(3);
        for (long block : freed) {
            assertThat(told).anyMatch(message -> message.contains(hex(block)));
        }
    }

    /** Nor does it ask anybody for room. */
    @Test
    void reallocate_toLessWhereTheLimitIsUsedUp_staysAndIsNotRefused() {
        BlockSpace space = space(4 * MIB);
        Blocks blocks = checked(space);
        List<Long> all = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            all.add(blocks.allocate(MIB - CheckedBlock.GUARD_BYTES));
        }
        long first = all.getFirst();
        assertThat(blocks.reallocate(first, 400_000)).isEqualTo(first);
        assertThat(blocks.usableSize(first)).isEqualTo(400_000);
        assertThat(refused.get()).isZero();
        all.forEach(blocks::free);
    }

    /** One that is much larger than those that wait lets as many of them go. */
    @Test
    void free_largeOneAfterMany_soMuchWaitsAtMost() {
        Blocks blocks = checked(space());
        List<Long> all = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            all.add(blocks.allocate(2 * MIB));
        }
        all.add(blocks.allocate(40 * MIB));
        all.forEach(blocks::free);
        assertThat(((CheckedBlocks) blocks).quarantine.bytes[SizeClass.COUNT])
                .isBetween(40 * MIB, 64 * MIB);
        BlockCheck.verifyAtRest(blocks);
    }

    /** The first that would leave was written to: this is told, and with the next free all go. */
    @Test
    void free_largeOneAfterOneThatWasWrittenTo_tellsAndSoMuchWaitsThen() {
        BlockSpace space = space();
        Blocks blocks = checked(space);
        long first = blocks.allocate(20 * MIB);
        long second = blocks.allocate(40 * MIB);
        long last = blocks.allocate(2 * MIB);
        blocks.free(first);
        write(first);
        blocks.free(second);
        blocks.free(last);
        assertThat(space.untold()).isNotNull();
        blocks.free(blocks.allocate(2 * MIB));
        assertThat(((CheckedBlocks) blocks).quarantine.bytes[SizeClass.COUNT])
                .isBetween(40 * MIB, 64 * MIB);
    }

    /** They wait once more, which nobody else tells the ticks. */
    @Test
    void trim_severalOfASpanWrittenTo_tellsOfEachAndWakesTheTicks() {
        BlockSpace space = space();
        Blocks blocks = checked(space);
        List<Long> freed = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            freed.add(blocks.allocate(100));
        }
        freed.forEach(blocks::free);
        freed.forEach(block -> write(block + 3));
        told.set(0);
        long _ = space.trim();
        assertThat(told.get()).isPositive();
        for (long block : freed) {
            assertThat(space.untold()).hasMessageContainingAll(hex(block), "offset=3");
        }
        assertThat(space.untold()).isNull();
        assertThat(space.trim()).isPositive();
        assertThat(space.map.spans()).isEmpty();
    }

    @Test
    void allocateZeroed_ofWhatWaited_readsAsZero() {
        Blocks blocks = checked(space());
        List<Long> all = new ArrayList<>();
        for (int i = 0; i < ENOUGH; i++) {
            all.add(blocks.allocate(100));
        }
        all.forEach(blocks::free);
        long again = blocks.allocate(99, 16, true);
        assertThat(again).isEqualTo(all.getFirst());
        for (long at = 0; at < 99; at++) {
            assertThat(ADDRESS_SPACE.get(ValueLayout.JAVA_BYTE, again + at)).isZero();
        }
        blocks.free(again);
    }

    @Test
    void allocateSegment_always_hasItsBoundsAndAGuard() {
        Blocks blocks = checked(space());
        for (int i = 0; i < 2 * ENOUGH; i++) {
            MemorySegment segment = blocks.allocateSegment(100, 64, false);
            assertThat(segment.byteSize()).isEqualTo(100);
            assertThat(segment.address() % 64).isZero();
            segment.fill((byte) 1);
            blocks.free(segment.address());
        }
        MemorySegment large = blocks.allocateSegment(3 * MIB, 16, false);
        write(large.address() + 3 * MIB);
        assertThatIllegalStateException().isThrownBy(() -> blocks.free(large.address()));
        blocks.free(large.address());
    }

    @Test
    void reallocate_always_keepsTheContentAndMovesTheGuard() {
        Blocks blocks = checked(space());
        long bytes = 10;
        long block = blocks.reallocate(0, bytes);
        ADDRESS_SPACE.asSlice(block, bytes).fill((byte) 3);
        for (long next : new long[] {20, 16, 100, 90, 5000, 4096, 3 * MIB, 70_000, 12, 0}) {
            block = blocks.reallocate(block, next);
            assertThat(blocks.usableSize(block)).isEqualTo(next);
            for (long at = 0; at < Math.min(bytes, next); at += 1 + next / 999) {
                assertThat(ADDRESS_SPACE.get(ValueLayout.JAVA_BYTE, block + at))
                        .isEqualTo((byte) 3);
            }
            ADDRESS_SPACE.asSlice(block, next).fill((byte) 3);
            write(block + next);
            long written = block;
            assertThatIllegalStateException().isThrownBy(() -> blocks.free(written));
            write(block + next);
            assertThatIllegalStateException()
                    .isThrownBy(() -> blocks.reallocate(written, 2 * next + 1));
            bytes = next;
        }
        blocks.free(block);
    }

    @Test
    void reallocate_largerThanAnyAddressSpace_isRefusedAndChangesNothing() {
        Blocks blocks = checked(space());
        for (long size : new long[] {100, 3 * MIB}) {
            long block = blocks.allocate(size);
            for (long bytes : new long[] {1L << 48, Long.MAX_VALUE - 16, Long.MAX_VALUE}) {
                assertThatExceptionOfType(OutOfMemoryError.class)
                        .isThrownBy(() -> blocks.reallocate(block, bytes));
                assertThat(blocks.usableSize(block)).isEqualTo(size);
            }
            blocks.free(block);
        }
    }

    /** What makes room for the new block finds them, and each free tells of one. */
    @Test
    void reallocate_whatWasWrittenToIsFoundMeanwhile_tellsOfAllAndLosesNoBlock() {
        Blocks blocks = checked(space(8 * MIB));
        long moved = blocks.allocate(100);
        List<Long> large = fill(blocks, 1_000_000);
        List<Long> others = fill(blocks, 500_000);
        List<Long> freed = List.of(large.removeLast(), large.removeLast(), large.removeLast());
        freed.forEach(blocks::free);
        write(freed.get(0));
        write(freed.get(1));
        assertThatIllegalStateException()
                .isThrownBy(() -> blocks.reallocate(moved, 500_000))
                .satisfies(told -> assertThat(told.getSuppressed()).hasSize(1));
        assertThat(blocks.usableSize(moved)).isEqualTo(100);
        blocks.free(blocks.reallocate(moved, 500_000));
        large.forEach(blocks::free);
        others.forEach(blocks::free);
    }

    private static List<Long> fill(Blocks blocks, long bytes) {
        List<Long> all = new ArrayList<>();
        assertThatExceptionOfType(OutOfMemoryError.class)
                .isThrownBy(
                        () -> {
                            while (true) {
                                all.add(blocks.allocate(bytes));
                            }
                        });
        return all;
    }

    @Test
    void reallocate_freed_isRefusedAndChangesNothing() {
        Blocks blocks = checked(space());
        long block = blocks.allocate(100);
        FreesBlocks.freeHere(blocks::free, block);
        for (long bytes : new long[] {0, 100, 5000, -1}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> blocks.reallocate(block, bytes))
                    .withMessageStartingWith("a block must not be used after it was freed: ")
                    .withMessageContaining("FreesBlocks.freeHere");
        }
        assertThatIllegalArgumentException().isThrownBy(() -> blocks.usableSize(block));
        long other = blocks.allocate(100);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> blocks.reallocate(other, -1))
                .withMessage("0 <= bytes: bytes=-1");
        assertThat(blocks.usableSize(other)).isEqualTo(100);
        blocks.free(other);
    }

    @Test
    void free_whatIsNoBlock_isRefusedAndHarmsNothing() {
        Blocks blocks = checked(space());
        long block = blocks.allocate(100);
        long large = blocks.allocate(3 * MIB);
        for (long address :
                new long[] {0, 1, -1, block + 1, block + 16, block + 128, large + 16, 64 * KIB}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> blocks.free(address))
                    .withMessageContaining(hex(address));
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> blocks.allocate(8, 24, false))
                .withMessageContaining("alignment=24");
        assertThatIllegalArgumentException().isThrownBy(() -> blocks.allocate(-1));
        assertThatExceptionOfType(OutOfMemoryError.class)
                .isThrownBy(() -> blocks.allocate(Long.MAX_VALUE));
        blocks.free(block);
        blocks.free(large);
    }

    @Test
    void allocate_overTheLimit_usesWhatWaits() {
        BlockSpace space = space(4 * MIB);
        Blocks blocks = checked(space);
        List<Long> all = fill(blocks, 1000);
        long one = all.removeLast();
        blocks.free(one);
        long again = blocks.allocate(1000);
        assertThat(again).as("the only one that waits").isEqualTo(one);
        blocks.free(again);
        all.forEach(blocks::free);
        blocks.free(blocks.allocate(MIB / 2));
    }

    @Test
    void tick_afterAllWasFreed_leavesNoSpan() {
        BlockSpace space = space();
        Blocks blocks = checked(space);
        List<Long> all = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            all.add(blocks.allocate(16L * i));
        }
        all.forEach(blocks::free);
        assertThat(spaceOf(blocks).tick()).as("what was freed since the last one waits").isTrue();
        int ticks = 0;
        while (spaceOf(blocks).tick()) {
            assertThat(++ticks).isLessThan(6);
        }
        assertThat(space.map.spans()).isEmpty();
        assertThat(told.get()).isPositive();
    }

    @Test
    void sizes_always_countWhatWaitsAsFree() {
        BlockSpace space = space();
        Blocks blocks = checked(space);
        long block = blocks.allocate(50);
        long other = blocks.allocate(50);
        blocks.free(other);
        SizeTotals totals = space.sizes().getFirst();
        assertThat(totals.blockBytes()).isEqualTo(80);
        assertThat(totals.usedCount()).isEqualTo(1);
        assertThat(totals.freeCount()).isPositive();
        blocks.free(block);
    }
}
