package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** When a pool clears what its arenas wrote, as it is built and as the property says. */
class ClearAtCloseTest {
    private static final byte PAINT = 0x5a;

    private static MemoryPool pool(boolean clearAtClose) {
        return MemoryPool.builder().clearAtClose(clearAtClose).decay(Duration.ofHours(1)).build();
    }

    /** Writes to so many bytes of an arena, closes it, and says whether they are zero then. */
    private static boolean isZeroAfter(MemoryPool pool, long bytes, boolean shared) {
        long address;
        try (Arena arena = shared ? pool.openShared() : pool.openConfined()) {
            MemorySegment small = arena.allocate(100);
            small.fill(PAINT);
            MemorySegment segment = arena.allocate(bytes);
            segment.fill(PAINT);
            address = segment.address();
        }
        return Paint.isZero(memory(address, bytes));
    }

    @SuppressWarnings("restricted")
    private static MemorySegment memory(long address, long bytes) {
        return MemorySegment.ofAddress(address).reinterpret(bytes);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 1000, 4097, 20_000, 300_000, 3_000_000, 5_000_000})
    void set_nothingStaysInMemory(long bytes) {
        try (MemoryPool pool = pool(true)) {
            assertThat(isZeroAfter(pool, bytes, false)).isTrue();
            assertThat(isZeroAfter(pool, bytes, true)).isTrue();
            String text = "x".repeat((int) bytes);
            long address;
            try (Arena arena = pool.openConfined()) {
                address = arena.allocateFrom(text).address();
                assertThat(memory(address, 1).get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) 'x');
            }
            assertThat(Paint.isZero(memory(address, bytes + 1))).isTrue();
        }
    }

    @Test
    void notSet_muchStaysInMemory_untilItIsUsedAgain() {
        try (MemoryPool pool = pool(false)) {
            assertThat(isZeroAfter(pool, 100_000, false)).isFalse();
            assertThat(isZeroAfter(pool, 1000, false)).as("a slab").isTrue();
            try (Arena arena = pool.openConfined()) {
                assertThat(Paint.isZero(arena.allocate(100_000))).isTrue();
            }
        }
    }

    /** A shrinker runs within the allocation of a string, and allocates in the same arena. */
    @Test
    void allocateFrom_shrinkerAllocatesMeanwhile_thatReadsAsZero() {
        try (MemoryPool pool =
                        MemoryPool.builder()
                                .committedMaxBytes(64 << 20)
                                .decay(Duration.ofHours(1))
                                .build();
                Arena arena = pool.openConfined()) {
            assertThat(isZeroAfter(pool, 1_000_000, false)).isFalse();
            arena.allocate(600_000); // of the same chunk, whose rest is dirty
            Arena filler = pool.openShared();
            for (int i = 0; i < 58; i++) {
                filler.allocate(1 << 20);
            }
            List<Boolean> zero = new ArrayList<>();
            Runnable remove =
                    pool.addShrinker(
                            wanted -> {
                                if (!zero.isEmpty()) {
                                    return 0;
                                }
                                zero.add(Paint.isZero(arena.allocate(200_000)));
                                filler.close();
                                return 58 << 20;
                            },
                            () -> "a test");
            String text = "x".repeat(9 << 20);
            assertThat(arena.allocateFrom(text).getString(0)).isEqualTo(text);
            remove.run();
            assertThat(zero).containsExactly(true);
        }
    }

    @Test
    void property_close_holdsForTheCommonPool_fromTheFirstArenaOn() {
        List<String> flags = List.of("-Dpolder.clear=close", ChildJvm.NATIVE_ACCESS);
        ChildJvm.Result result = ChildJvm.program(flags, ClearProbe.class);
        assertThat(result.out()).isEqualTo("zero\n");
        assertThat(result.exitCode()).isZero();
    }
}
