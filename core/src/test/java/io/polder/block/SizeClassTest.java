package io.polder.block;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The sizes of blocks, by the rules that the class comment gives. */
class SizeClassTest {
    @Test
    void of_everySize_isTheSmallestClassThatHoldsIt() {
        long below = -1;
        for (int sizeClass = 0; sizeClass < SizeClass.COUNT; sizeClass++) {
            long bytes = SizeClass.bytes(sizeClass);
            assertThat(SizeClass.of(bytes)).isEqualTo(sizeClass);
            assertThat(SizeClass.of(below + 1)).isEqualTo(sizeClass);
            assertThat(bytes % SizeClass.GRAIN_BYTES).isZero();
            below = bytes;
        }
        assertThat(below).isEqualTo(SizeClass.BYTES_MAX);
    }

    @Test
    void bytes_aboveTheLinearPart_wasteAtMostAnEighth() {
        for (long bytes = 113; bytes <= SizeClass.BYTES_MAX; bytes++) {
            long block = SizeClass.bytes(SizeClass.of(bytes));
            assertThat(8 * (block - bytes)).isLessThanOrEqualTo(block);
        }
    }

    @Test
    void of_alignment_isAClassOfMultiples() {
        for (long alignment = 1; alignment <= SizeClass.BYTES_MAX; alignment *= 2) {
            for (long bytes = 0; bytes <= SizeClass.BYTES_MAX; bytes += 1 + bytes / 7) {
                long block = SizeClass.bytes(SizeClass.of(bytes, alignment));
                assertThat(block).isGreaterThanOrEqualTo(bytes);
                assertThat(block % alignment).isZero();
            }
        }
    }
}
