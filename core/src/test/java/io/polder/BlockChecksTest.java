package io.polder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.polder.page.Page;

import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Checks of blocks as pools have them, and blocks where a program or a pool ends. */
class BlockChecksTest {
    private static final long MIB = 1 << 20;

    private static ChildJvm.Result probe(String... flags) {
        List<String> arguments = new ArrayList<>(List.of(flags));
        arguments.add(ChildJvm.NATIVE_ACCESS);
        return ChildJvm.program(arguments, BlockProbe.class);
    }

    @Test
    void property_on_findsMisuseOfAllPoolsAndNoneInAShutdownHook() {
        ChildJvm.Result result = probe("-Dpolder.blocks.check=on");
        assertThat(result.exitCode()).isZero();
        assertThat(result.out())
                .contains("a block must not be freed twice: address=0x")
                .contains("BlockProbe.freeTwice")
                .doesNotContain("not found")
                .endsWith("freed in the hook\n");
        assertThat(result.err())
                .contains("pool late: a block must not be written to after it was freed: ")
                .contains("offset=50")
                .contains("BlockProbe.writeTooLate");
        assertThat(result.err().lines().filter(line -> line.contains("pool later: ")))
                .hasSize(8)
                .allMatch(line -> line.contains("written to after it was freed: "));
    }

    @Test
    void free_inAShutdownHook_isAsAnywhere() {
        ChildJvm.Result result = probe("-Dpolder.blocks.check=off");
        assertThat(result.exitCode()).isZero();
        assertThat(result.out()).isEqualTo("freed in the hook\n");
    }

    @Test
    void property_neitherOnNorOff_isSaidAndOff() {
        ChildJvm.Result result = probe("-Dpolder.blocks.check=maybe");
        assertThat(result.exitCode()).isZero();
        assertThat(result.err())
                .contains("polder.blocks.check must be one of off, on: value=maybe; using off");
        assertThat(result.out()).isEqualTo("freed in the hook\n");
    }

    @Test
    void checkBlocks_ofOnePool_isItsOwn() {
        try (MemoryPool checked =
                        MemoryPool.builder().checkBlocks(true).decay(Duration.ofHours(1)).build();
                MemoryPool other = MemoryPool.builder().build()) {
            long block = checked.blocks().allocateAddress(100);
            long beside = checked.blocks().allocateAddress(100);
            checked.blocks().freeAddress(block);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> checked.blocks().freeAddress(block))
                    .withMessageContaining("BlockChecksTest");
            checked.blocks().freeAddress(beside);
            other.blocks().freeAddress(other.blocks().allocateAddress(100));
            assertThat(checked.stats().blocks().checked()).isTrue();
            assertThat(other.stats().blocks().checked()).isFalse();
            assertThat(checked.report()).contains("; they are checked):");
            assertThat(checked.trim()).isPositive();
            assertThat(checked.stats().committedBytes()).isZero();
        }
    }

    @Test
    void checkBlocks_manyFreed_givesTheirMemoryToOthers() {
        try (MemoryPool pool =
                MemoryPool.builder().checkBlocks(true).committedMaxBytes(16 * MIB).build()) {
            freeMany(pool.blocks());
            Page page = pool.pages().allocate(12 * MIB);
            page.close();
            freeMany(pool.blocks());
            try (Arena arena = pool.openConfined()) {
                for (int i = 0; i < 8; i++) {
                    assertThat(arena.allocate(MIB).byteSize()).isEqualTo(MIB);
                }
            }
        }
    }

    /** The next who allocates or frees a block is told, and nobody is refused for that. */
    @Test
    void checkBlocks_freedAndWrittenTo_givesItsMemoryToOthers() {
        try (MemoryPool pool =
                MemoryPool.builder()
                        .checkBlocks(true)
                        .committedMaxBytes(8 * MIB)
                        .decay(Duration.ofHours(1)) // so that no tick finds what was written
                        .build()) {
            BlockAllocator blocks = pool.blocks();
            long last = 0;
            for (int i = 0; i < 3; i++) {
                MemorySegment block = blocks.allocate(5 * MIB, 16);
                blocks.free(block);
                block.set(ValueLayout.JAVA_BYTE, 100, (byte) 1);
                if (i == 0) {
                    assertThatCode(() -> pool.pages().allocate(6 * MIB).close())
                            .doesNotThrowAnyException();
                } else if (i == 1) {
                    try (Arena arena = pool.openConfined()) {
                        assertThat(arena.allocate(6 * MIB).byteSize()).isEqualTo(6 * MIB);
                    }
                } else {
                    last = blocks.allocateAddress(6 * MIB);
                }
                assertThatIllegalStateException()
                        .isThrownBy(() -> blocks.allocateAddress(1))
                        .withMessageContaining("written to after it was freed")
                        .withMessageContaining("offset=100");
            }
            blocks.freeAddress(last);
        }
    }

    private static void freeMany(BlockAllocator blocks) {
        List<Long> all = new ArrayList<>();
        for (int i = 0; i < 10 * 1024; i++) {
            all.add(blocks.allocateAddress(1000));
        }
        all.forEach(blocks::freeAddress);
    }

    @Test
    void allocate_largerThanTheLimit_namesItAndChangesNothing() {
        for (boolean checked : new boolean[] {false, true}) {
            try (MemoryPool pool =
                    MemoryPool.builder().checkBlocks(checked).committedMaxBytes(8 * MIB).build()) {
                BlockAllocator blocks = pool.blocks();
                long kept = blocks.allocateAddress(3 * MIB);
                PoolStatistics.Blocks before = pool.stats().blocks();
                for (int i = 0; i < 3; i++) {
                    assertThatExceptionOfType(OutOfMemoryError.class)
                            .isThrownBy(() -> blocks.allocateAddress(6 * MIB))
                            .withMessageContaining("committedMaxBytes=" + 8 * MIB);
                    assertThatExceptionOfType(OutOfMemoryError.class)
                            .isThrownBy(() -> blocks.reallocateAddress(kept, 9 * MIB));
                    assertThatExceptionOfType(OutOfMemoryError.class)
                            .isThrownBy(() -> blocks.allocate(6 * MIB, 16));
                    assertThatExceptionOfType(OutOfMemoryError.class)
                            .isThrownBy(() -> blocks.allocateZeroedAddress(6 * MIB, 16));
                }
                assertThat(pool.stats().blocks()).isEqualTo(before);
                blocks.freeAddress(kept);
                blocks.freeAddress(blocks.allocateAddress(6 * MIB));
            }
        }
    }

    @Test
    void allocateSegment_badArguments_areRefused() {
        for (boolean checked : new boolean[] {false, true}) {
            try (MemoryPool pool = MemoryPool.builder().checkBlocks(checked).build()) {
                BlockAllocator blocks = pool.blocks();
                for (long alignment : new long[] {0, -1, 3, 4 * MIB}) {
                    assertThatIllegalArgumentException()
                            .isThrownBy(() -> blocks.allocate(1, alignment))
                            .withMessageContaining("alignment=" + alignment);
                }
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> blocks.allocate(-1, 8))
                        .withMessageContaining("bytes=-1");
                assertThat(pool.stats().blocks().usedCount()).isZero();
            }
        }
    }

    @Test
    void closedPool_blocks_canBeFreedOnly() {
        for (boolean checked : new boolean[] {false, true}) {
            MemoryPool pool = MemoryPool.builder().checkBlocks(checked).build();
            BlockAllocator blocks = pool.blocks();
            long block = blocks.allocateAddress(100);
            pool.close();
            assertThatIllegalStateException().isThrownBy(() -> blocks.allocateAddress(8));
            assertThatIllegalStateException().isThrownBy(() -> blocks.allocateAddress(8, 64));
            assertThatIllegalStateException().isThrownBy(() -> blocks.allocate(8, 8));
            assertThatIllegalStateException()
                    .isThrownBy(() -> blocks.reallocateAddress(block, 5000));
            assertThat(blocks.usableSize(block)).isGreaterThanOrEqualTo(100);
            blocks.freeAddress(block);
            pool.trim();
            assertThat(pool.stats().committedBytes()).isZero();
            MemoryPool never = MemoryPool.builder().build();
            never.close();
            assertThatIllegalStateException().isThrownBy(never::blocks);
        }
    }

    @Test
    void map_withBlocks_saysHowFullTheirSpansAre() {
        try (MemoryPool pool = MemoryPool.builder().decay(Duration.ofHours(1)).build()) {
            assertThat(pool.map().toString()).doesNotContain("blocks");
            BlockAllocator blocks = pool.blocks();
            List<Long> all = new ArrayList<>();
            for (int i = 0; i < 64 + 32; i++) {
                all.add(blocks.allocateAddress(1024));
            }
            assertThat(pool.map().toString())
                    .contains("blocks, 64 KiB each; ")
                    .containsPattern("(?m)^blocks at 0x[0-9a-f]+  \\.*(#5|5#)$");
            all.forEach(blocks::freeAddress);
            assertThat(pool.map().toString())
                    .containsPattern("(?m)^blocks at 0x[0-9a-f]+  \\.*e+$");
            pool.trim();
            assertThat(pool.map().toString()).doesNotContain("blocks");
        }
    }
}
