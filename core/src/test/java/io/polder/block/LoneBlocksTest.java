package io.polder.block;

import static io.polder.memory.Zeroing.ADDRESS_SPACE;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.arena.OtherThread;
import io.polder.arena.Seed;
import io.polder.memory.MemoryLimits;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** What a thread keeps of blocks that have a span each, and for which others that serves. */
class LoneBlocksTest extends BlockFixture {
    private static final long KEPT_BYTES_MAX = 8 * MIB;
    private static final int ROUNDS = 50;

    @Test
    void free_many_areWhatTheThreadGetsNext() {
        BlockSpace space = space();
        List<Long> blocks = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            blocks.add(space.allocate(200_000));
        }
        blocks.forEach(space::free);
        assertThat(space.empties.count()).isZero();

        List<Long> again = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            again.add(space.allocate(200_000));
        }

        assertThat(again).containsExactlyInAnyOrderElementsOf(blocks);
        again.forEach(space::free);
    }

    /** Of any sizes, in any order, with any limit; and until two ticks. */
    @Test
    void free_many_keepsSoMuchAtMost() {
        long seed = Seed.get();
        Seed.naming(
                seed,
                () -> {
                    Random random = new Random(seed);
                    for (int round = 0; round < ROUNDS; round++) {
                        keepSoMuch(random);
                    }
                });
    }

    private void keepSoMuch(Random random) {
        long some = random.nextLong(64, 1024) * MIB;
        long limit = random.nextBoolean() ? MemoryLimits.ADDRESS_SPACE_BYTES : some;
        BlockSpace space = space(limit);
        List<Long> blocks = new ArrayList<>();
        long left = 40 * MIB;
        while (left > 0) {
            long bytes = random.nextLong(64 * KIB + 1, MIB + 1);
            blocks.add(space.allocate(bytes));
            left -= bytes;
        }
        Collections.shuffle(blocks, random);
        blocks.forEach(space::free);

        ThreadHeap own = space.owners.guess(Thread.currentThread().threadId());
        long firsts = 0;
        for (Span first : own.current) {
            firsts += first.loneBytes();
        }
        long most = Math.min(KEPT_BYTES_MAX, limit / 64);
        assertThat(own.loneBytes).isLessThanOrEqualTo(most + firsts);
        BlockCheck.verifyAtRest(space);
        boolean _ = space.tick();
        assertThat(own.loneBytes).isZero();
        boolean _ = space.tick();
        assertThat(space.hasSpans()).isFalse();
    }

    /** It gets all of it as zeros, too: a program may use what {@code usableSize} says. */
    @Test
    void allocate_whereTheNextLargerSizeIsKept_getsThat() {
        BlockSpace space = space();
        long block = space.allocate(80 * KIB);
        ADDRESS_SPACE.asSlice(block, 80 * KIB).fill((byte) 1);
        space.free(block);

        long again = space.allocate(70_000, 16, true);

        assertThat(again).isEqualTo(block);
        assertThat(space.usableSize(again)).isEqualTo(80 * KIB);
        assertThat(filledWith(again, 80 * KIB, (byte) 0)).isTrue();
        space.free(again);
    }

    /** What nobody asked for may be at most a sixteenth of a small limit. */
    @Test
    void allocate_whereTheNextLargerSizeIsKept_smallLimit_getsItsOwn() {
        BlockSpace space = space(511 * MIB);
        space.free(space.allocate(80 * KIB));

        long again = space.allocate(70_000);

        assertThat(space.usableSize(again)).isEqualTo(72 * KIB);
        space.free(again);
    }

    /** What others free is kept by nobody; the owner has it when it needs some, or with a tick. */
    @Test
    void free_byAnotherThread_isWhatTheOwnerGetsNextOrATickTakes() {
        BlockSpace space = space();
        long first = space.allocate(200_000);
        boolean _ = freedByAnother(space, first);

        assertThat(space.allocate(200_000)).isEqualTo(first);
        boolean _ = freedByAnother(space, first);
        boolean _ = space.tick();
        boolean _ = space.tick();

        assertThat(space.hasSpans()).isFalse();
    }

    private static boolean freedByAnother(BlockSpace space, long block) {
        return OtherThread.platform(
                () -> {
                    space.free(block);
                    return true;
                });
    }

    @Test
    void allocate_whereAnotherSizeOfThatChunkIsKept_getsItsMemory() {
        BlockSpace space = space();
        long large = space.allocate(128 * KIB);
        space.free(large);

        long small = space.allocate(70_000);
        assertThat(small).isEqualTo(large);
        assertThat(space.usableSize(small)).isEqualTo(72 * KIB);
        space.free(small);

        assertThat(space.allocate(100_000)).isEqualTo(large);
        assertThat(space.map.spans()).hasSize(1);
        space.free(large);
    }
}
