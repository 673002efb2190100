package io.polder.chunk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.polder.memory.MemoryExhaustedException;
import io.polder.memory.MemoryLimits;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

class LargeMappingsTest extends SpaceFixture {

    @Test
    void takeLarge_countsAndComesBack() {
        ChunkSpace space = space();
        long address = space.takeLarge(10 * MIB + 1);
        assertThat(address % ROOT).isZero();
        ChunkStatistics statistics = space.statistics();
        assertThat(statistics.largeCount()).isEqualTo(1);
        assertThat(statistics.largeBytes()).isEqualTo(10 * MIB + page);
        assertThat(statistics.usedBytes()).isEqualTo(10 * MIB + page);
        assertThat(statistics.committedBytes()).isEqualTo(10 * MIB + page);
        assertThat(statistics.reservedBytes()).isEqualTo(10 * MIB + page);
        assertThat(space.map()).contains("0x" + Long.toHexString(address) + "  10244K  large");
        Payload.assertZero(address, 10 * MIB + 1);
        Payload.paint(address, 10 * MIB + 1, (byte) 1);
        space.giveLarge(address);
        assertThat(space.statistics().reservedBytes()).isZero();
    }

    @Test
    void takeLarge_ofAllTheLimitAllows() {
        ChunkSpace space = space(new MemoryLimits(64 * MIB, 64 * MIB));
        long chunk = take(space, ROOT);
        space.commit(chunk, 0, MIB);
        space.give(chunk, 0);
        long address = space.takeLarge(64 * MIB);
        assertThat(space.statistics().reservedBytes()).isEqualTo(64 * MIB);
        assertThatExceptionOfType(MemoryExhaustedException.class)
                .isThrownBy(() -> take(space, KIB))
                .withMessageContaining("reservedMaxBytes");
        space.giveLarge(address);
        space.give(take(space, KIB), 0);
    }

    @Test
    void takeLarge_overALimit_namesIt() {
        ChunkSpace space = space(new MemoryLimits(8 * MIB, 64 * MIB));
        assertThatExceptionOfType(MemoryExhaustedException.class)
                .isThrownBy(() -> space.takeLarge(9 * MIB))
                .withMessageContaining("committedMaxBytes=" + 8 * MIB)
                .withMessageContaining("exceededByBytes=" + MIB);
        ChunkSpace other = space(new MemoryLimits(64 * MIB, 8 * MIB));
        assertThatExceptionOfType(MemoryExhaustedException.class)
                .isThrownBy(() -> other.takeLarge(9 * MIB))
                .withMessageContaining("reservedMaxBytes=" + 8 * MIB);
    }

    @Test
    void takeLarge_underPressure_uncommitsFreeChunks() {
        ChunkSpace space = space(new MemoryLimits(8 * MIB, 64 * MIB));
        List<Long> chunks = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            long chunk = take(space, ROOT);
            space.commit(chunk, 0, ROOT);
            chunks.add(chunk);
        }
        chunks.forEach(chunk -> space.give(chunk, 0));
        space.giveLarge(space.takeLarge(8 * MIB));
    }

    @Test
    void misuse_isRefused() {
        ChunkSpace space = space();
        for (long bad : new long[] {Long.MIN_VALUE, -1, 0, Long.MAX_VALUE}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> space.takeLarge(bad))
                    .withMessageContaining("bytes=" + bad);
        }
        long address = space.takeLarge(5 * MIB);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> space.giveLarge(address + page))
                .withMessageContaining("given by its first byte");
        space.giveLarge(address);
        assertThatIllegalArgumentException().isThrownBy(() -> space.giveLarge(address));
    }
}
