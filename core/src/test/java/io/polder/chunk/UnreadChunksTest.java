package io.polder.chunk;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.arena.Seed;
import io.polder.memory.Errno;
import io.polder.memory.FailingMemoryProvider.Call;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Chunks that are given back unread, and memory that their owners do without. */
class UnreadChunksTest extends SpaceFixture {
    @Test
    void giveAsIs_manyUnread_areZeroWhetherTheSystemTakesThemOrNot() {
        long seed = Seed.get();
        SplittableRandom random = new SplittableRandom(seed);
        Seed.naming(
                seed,
                () -> {
                    for (int round = 0; round < 100; round++) {
                        oneRound(random);
                    }
                });
    }

    private void oneRound(SplittableRandom random) {
        ChunkSpace space = space();
        int count = random.nextInt(1, 40);
        long[] chunks = new long[count];
        long[] dirty = new long[count];
        for (int i = 0; i < count; i++) {
            chunks[i] = take(space, KIB << random.nextInt(0, 11));
            dirty[i] = random.nextLong(Chunk.bytes(chunks[i]) + 1);
            use(space, chunks[i], dirty[i], (byte) (i + 1));
            if (random.nextBoolean()) {
                space.disclaim(chunks[i], random.nextLong(Chunk.bytes(chunks[i]) + 1));
            }
        }
        if (random.nextBoolean()) {
            long _ = space.trim(); // takes what is disclaimed
        }
        boolean refused = random.nextBoolean();
        if (refused) {
            provider.failAlways(Call.UNCOMMIT, Errno.EPERM);
        }
        boolean[] idle = new boolean[count];
        for (int i = 0; i < count; i++) {
            idle[i] = random.nextBoolean();
            space.giveAsIs(chunks[i], dirty[i], dirty[i], idle[i]);
        }
        SpaceCheck.verifyAtRest(space);
        assertThat(space.statistics().usedBytes()).isZero();
        long before = budget(space).committed.bytes();
        long bytes = random.nextBoolean() ? space.decay() : space.trim();
        provider.heal();
        assertThat(budget(space).committed.bytes()).isEqualTo(before - bytes);
        assertThat(bytes == 0 || !refused).isTrue();
        SpaceCheck.verifyAtRest(space);
        List<Long> again = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            long chunk = take(space, MIB);
            assertThat(space.commit(chunk, 0, MIB)).isEqualTo(MIB);
            Payload.assertZero(Chunk.address(chunk), MIB);
            again.add(chunk);
        }
        for (long chunk : again) {
            space.give(chunk, 0);
        }
    }

    @Test
    void giveAsIs_idle_isUncommittedByTheNextTick() {
        ChunkSpace space = space();
        long idle = take(space, 256 * KIB);
        long fresh = take(space, 64 * KIB);
        use(space, idle, 200 * KIB, (byte) 1);
        use(space, fresh, 64 * KIB, (byte) 2);
        space.giveAsIs(idle, 200 * KIB, 200 * KIB, true);
        assertThat(space.hasWarmFree()).isTrue();
        space.giveAsIs(fresh, 64 * KIB, 64 * KIB, false);
        assertThat(space.hasWarmFree()).isTrue();
        SpaceCheck.verifyAtRest(space);
        assertThat(space.decay())
                .as("what was idle")
                .isEqualTo(Math.ceilDiv(200 * KIB, page) * page);
        assertThat(space.decay()).as("the rest").isEqualTo(64 * KIB);
        assertThat(space.hasWarmFree()).isFalse();
    }

    @Test
    void giveAsIs_idleAndTakenAgain_isNoLongerIdle() {
        ChunkSpace space = oneRoot();
        long chunk = take(space, 64 * KIB);
        use(space, chunk, 64 * KIB, (byte) 1);
        space.giveAsIs(chunk, 64 * KIB, 64 * KIB, true);
        assertThat(space.hasWarmFree()).isTrue();
        long again = take(space, 64 * KIB);
        assertThat(again).isEqualTo(chunk);
        SpaceCheck.verifyAtRest(space);
        space.give(again, 0);
        assertThat(space.hasWarmFree()).isTrue();
        assertThat(space.decay()).as("it was used since the last tick").isZero();
        assertThat(space.decay()).isEqualTo(64 * KIB);
    }

    @Test
    void tryTake_ofWhatIsDirtyOrGivenAsZero_saysSo() {
        ChunkSpace space = space();
        long chunk = take(space, 512 * KIB);
        use(space, chunk, 512 * KIB, (byte) 1);
        space.giveAsIs(chunk, 512 * KIB, 512 * KIB, false);
        assertThat(space.tryTake(level(256 * KIB), level(256 * KIB)))
                .isEqualTo(word(Chunk.address(chunk), 256 * KIB, 256 * KIB) | Chunk.DIRTY);
        long half = Chunk.of(Chunk.address(chunk), level(256 * KIB));
        assertThat(space.enlarge(half))
                .as("what is added")
                .isEqualTo(word(Chunk.address(chunk), 512 * KIB, 256 * KIB) | Chunk.DIRTY);
        Payload.paint(Chunk.address(chunk), 512 * KIB, (byte) 0);
        space.giveAsIs(chunk, 0, 512 * KIB, false);
        assertThat(space.tryTake(level(512 * KIB), level(512 * KIB)))
                .isEqualTo(word(Chunk.address(chunk), 512 * KIB, 512 * KIB));
        space.give(chunk, 0);
    }

    private static long word(long address, long bytes, long committedBytes) {
        long units = committedBytes >>> Chunk.UNIT_SHIFT;
        return Chunk.of(address, level(bytes)) | units << Chunk.COMMITTED_SHIFT;
    }

    @Test
    void commitAsIs_underALimit_givesNoMoreThanWasAskedFor() {
        ChunkSpace space = oneRoot();
        long chunk = take(space, MIB);
        use(space, chunk, MIB, (byte) 1);
        space.giveAsIs(chunk, MIB, MIB, false);
        assertThat(space.tryTake(level(MIB), level(MIB))).as("nothing of it").isEqualTo(chunk);
        assertThat(space.commitAsIs(chunk, 0, page)).isEqualTo(page | Chunk.DIRTY);
        if (system.canUncommit()) {
            assertThat(space.trim()).as("what was not asked for").isEqualTo(MIB - page);
            Payload.assertPainted(Chunk.address(chunk), page, (byte) 1);
            assertThat(space.commitAsIs(chunk, page, MIB)).as("zero").isEqualTo(MIB);
            Payload.assertZero(Chunk.address(chunk) + page, MIB - page);
        }
        space.giveAsIs(chunk, page, page, false);
    }

    @Test
    void disclaim_trimmed_keepsTheFrontAndNoMore() {
        ChunkSpace space = space();
        long chunk = take(space, MIB);
        use(space, chunk, MIB, (byte) 7);
        space.disclaim(chunk, 300 * KIB + 1);
        long left = Math.ceilDiv(300 * KIB + 1, page) * page;
        assertThat(space.trim()).isEqualTo(MIB - left);
        assertThat(budget(space).committed.bytes()).isEqualTo(left);
        Payload.assertPainted(Chunk.address(chunk), left, (byte) 7);
        assertThat(space.commit(chunk, left, MIB)).isEqualTo(MIB);
        Payload.assertZero(Chunk.address(chunk) + left, MIB - left);
        space.give(chunk, MIB);
    }
}
