package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.arena.OtherThread;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.lang.foreign.MemorySegment;

/** A JVM that denies native access: the contract holds, on the JDK's memory. */
@Tag("native-access-denied")
class NativeAccessDeniedArenaTest {
    @Nested
    class Confined extends PoolContract.DeniedConfined {}

    @Nested
    class Shared extends PoolContract.DeniedShared {}

    @Test
    void stats_denied_saysSo() {
        PoolStatistics stats = MemoryPool.common().stats();
        assertThat(stats.arenas().pooled()).isFalse();
        assertThat(stats.provider()).isEqualTo("plain");
        assertThat(stats.reason()).startsWith("native access is denied");
        assertThat(stats.reservedBytes()).isZero();
        assertThat(stats.capacityBytes()).isZero();
    }

    @Test
    void openFreeing_denied_checksWhatIsFreedAndKeepsItsMemory() {
        try (FreeingArena arena = MemoryPool.common().openFreeing()) {
            MemorySegment segment = arena.allocate(100, 8);
            arena.free(segment);
            assertThat(arena.live.count).isZero();
            assertThat(OtherThread.thrownBy(() -> arena.free(segment)))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThat(Paint.isZero(arena.allocate(100, 8))).isTrue();
            PoolCheck.verify(arena);
        }
    }
}
