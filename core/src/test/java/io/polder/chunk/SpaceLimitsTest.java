package io.polder.chunk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.polder.memory.MemoryExhaustedException;
import io.polder.memory.MemoryLimits;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

class SpaceLimitsTest extends SpaceFixture {

    @Test
    void commit_overTheLimit_changesNothing_andRecovers() {
        ChunkSpace space = space(new MemoryLimits(ROOT, 16 * ROOT));
        long large = take(space, ROOT);
        use(space, large, ROOT, (byte) 1);
        long small = take(space, 8 * KIB);
        ChunkStatistics before = space.statistics();
        assertThatExceptionOfType(MemoryExhaustedException.class)
                .isThrownBy(() -> space.commit(small, 0, KIB))
                .withMessageContaining("committed memory must stay within its limit")
                .withMessageContaining("committedMaxBytes=" + ROOT)
                .withMessageContaining("exceededByBytes=" + page);
        assertThat(space.statistics()).isEqualTo(before);
        SpaceCheck.verify(space);
        Payload.assertPainted(Chunk.address(large), ROOT, (byte) 1);

        space.give(large, ROOT);
        use(space, small, 8 * KIB, (byte) 2);
        space.give(small, 8 * KIB);
    }

    @Test
    void commit_underPressure_uncommitsFreeMemory() {
        ChunkSpace space = space(new MemoryLimits(ROOT, 16 * ROOT));
        long held = take(space, 2 * MIB);
        space.commit(held, 0, page);
        long freed = take(space, 2 * MIB);
        space.commit(freed, 0, 2 * MIB);
        space.give(freed, 0);
        long other = take(space, ROOT);
        assertThat(space.commit(other, 0, ROOT - page)).isEqualTo(ROOT - page);
        assertThat(space.statistics().usage().committedBytes()).isEqualTo(ROOT);
        assertThat(space.hasWarmFree()).isFalse();
        space.give(held, 0);
        space.give(other, 0);
    }

    @Test
    void take_overTheReserveLimit_namesItAndTakesLess() {
        ChunkSpace space = oneRoot();
        long small = take(space, KIB);
        assertThatExceptionOfType(MemoryExhaustedException.class)
                .isThrownBy(() -> take(space, ROOT))
                .withMessageContaining("reserved memory must stay within its limit")
                .withMessageContaining("reservedMaxBytes=" + ROOT)
                .withMessageContaining("exceededByBytes=" + ROOT);
        SpaceCheck.verify(space);
        long less = space.take(0, SMALLEST);
        assertThat(Chunk.bytes(less)).isEqualTo(2 * MIB);
        space.give(small, 0);
        space.give(less, 0);
    }

    @Test
    void take_everythingTheLimitAllows_thenAll_again() {
        ChunkSpace space = space(new MemoryLimits(10 * MIB, 10 * MIB));
        for (int round = 0; round < 3; round++) {
            List<Long> chunks = new ArrayList<>();
            while (true) {
                try {
                    long chunk = take(space, 64 * KIB);
                    use(space, chunk, 64 * KIB, (byte) round);
                    chunks.add(chunk);
                } catch (MemoryExhaustedException full) {
                    break;
                }
            }
            assertThat(chunks).hasSize(2 * 64);
            SpaceCheck.verify(space);
            chunks.forEach(chunk -> space.give(chunk, 64 * KIB));
        }
    }

    @Test
    void exhaustion_becomesAnOutOfMemoryError() {
        ChunkSpace space = oneRoot();
        long root = take(space, ROOT);
        try {
            take(space, KIB);
        } catch (MemoryExhaustedException e) {
            assertThat(e.toOutOfMemoryError()).hasMessage(e.getMessage()).hasCause(e);
        }
        space.give(root, 0);
    }
}
