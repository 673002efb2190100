package io.polder.arena;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.chunk.ChunkLevel;

import org.junit.jupiter.api.Test;

/** The steps in which arenas grow. */
class GrowthPolicyTest {
    private static final int STEPS = 1000;

    @Test
    void nextBytes_ofAnArenaWithNothing_isTheSmallest() {
        assertThat(GrowthPolicy.nextBytes(0)).isEqualTo(1 << 10);
    }

    @Test
    void nextBytes_stepByStep_isAPowerOfTwoAndAtMostDoublesAboveAPage() {
        long owned = 0;
        long before = GrowthPolicy.nextBytes(0);
        for (int step = 0; step < STEPS; step++) {
            long bytes = GrowthPolicy.nextBytes(owned);
            assertThat(Long.bitCount(bytes)).isEqualTo(1);
            assertThat(bytes)
                    .as("step %d, owned %d", step, owned)
                    .isBetween(ChunkLevel.SMALLEST_BYTES, ChunkLevel.ROOT_BYTES)
                    .isBetween(before, Math.max(2 * before, GrowthPolicy.PAGE_BYTES));
            before = bytes;
            owned += bytes;
        }
        assertThat(before).as("it ends with root chunks").isEqualTo(ChunkLevel.ROOT_BYTES);
    }

    /** Whatever it is asked, also after requests that were larger than a step. */
    @Test
    void nextBytes_anySize_staysInBoundsAndNeverShrinks() {
        long before = 0;
        for (long owned = 0; owned < 1L << 40; owned += 1 + owned / 7) {
            long bytes = GrowthPolicy.nextBytes(owned);
            assertThat(Long.bitCount(bytes)).isEqualTo(1);
            assertThat(bytes)
                    .isBetween(ChunkLevel.SMALLEST_BYTES, ChunkLevel.ROOT_BYTES)
                    .isGreaterThanOrEqualTo(before);
            before = bytes;
        }
    }

    /** So the chunk that is half empty on average is a small part of the whole. */
    @Test
    void nextBytes_ofALargeArena_isAtMostAnEighthOfIt() {
        for (long owned = 2 << 20; owned < 1L << 40; owned *= 2) {
            assertThat(GrowthPolicy.nextBytes(owned)).isLessThanOrEqualTo(owned / 8);
        }
    }

    @Test
    void commitBytes_anySize_isLittleNextToWhatIsOwned() {
        assertThat(GrowthPolicy.commitBytes(0)).isZero();
        for (long owned = 1; owned < 1L << 40; owned *= 2) {
            assertThat(GrowthPolicy.commitBytes(owned)).isBetween(0L, owned / 50);
            assertThat(GrowthPolicy.commitBytes(owned)).isLessThanOrEqualTo(64 << 10);
        }
        assertThat(GrowthPolicy.commitBytes(1L << 40)).isEqualTo(64 << 10);
    }
}
