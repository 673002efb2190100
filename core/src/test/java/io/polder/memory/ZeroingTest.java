package io.polder.memory;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.stream.IntStream;

/** What must be cleared is, and nothing outside the range rounded up to the grain. */
class ZeroingTest {
    private static final int BEFORE = 64;
    private static final int AFTER = 128;
    private static final byte DIRT = 0x5A;

    @Test
    void zero_everyShortLength_clearsThatRange() {
        IntStream.rangeClosed(0, 1024).forEach(length -> check(length, BEFORE));
    }

    @Test
    void zero_shortLengthsFromEveryUnit_clearsThatRange() {
        for (int offset = 16; offset <= 48; offset += 16) {
            for (int length = 0; length <= 300; length++) {
                check(length, offset);
            }
        }
    }

    @Test
    void zero_lengthsAroundPages_clearsThatRange() {
        for (int pages = 1; pages <= 5; pages++) {
            for (int delta : new int[] {-65, -64, -63, -16, -1, 0, 1, 15, 16, 63, 64, 65}) {
                check(4096 * pages + delta, BEFORE);
            }
        }
    }

    @Test
    void zero_largestSlab_clearsThatRange() {
        check(1 << 20, BEFORE);
        check((1 << 20) - 16, BEFORE);
    }

    /** From either end, and what is left of the last piece at the other. */
    @Test
    void clearInPieces_eitherDirection_clearsThatRange() {
        int piece = Math.toIntExact(Zeroing.PIECE_BYTES);
        for (boolean fromEnd : new boolean[] {false, true}) {
            for (int pieces = 0; pieces <= 5; pieces++) {
                for (int delta : new int[] {-64, 0, 8}) {
                    int length = pieces * piece + delta;
                    if (length >= 0) {
                        checkExactly(
                                length,
                                (at, bytes) -> Zeroing.clearInPieces(at, bytes, piece, fromEnd));
                    }
                }
            }
        }
    }

    /** Whatever was written to it before, and which end was the first one last time. */
    @Test
    void zero_whatMayBeMoreThanCachesHold_clearsThatRange() {
        int least = Math.toIntExact(Zeroing.SECOND_LEVEL_BYTES);
        for (int length : new int[] {least - 8, least, least + 8, 2 * least - 64, 2 * least + 64}) {
            for (int times = 0; times < 3; times++) {
                checkWritten(length, 0, length);
                checkWritten(length, 0, 8);
                checkWritten(length, length - 8, length);
            }
        }
    }

    private static void checkWritten(int length, int from, int to) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(length, 64);
            memory.asSlice(from, to - (long) from).fill(DIRT);
            Zeroing.zeroExactly(memory.address(), length);
            byte[] bytes = memory.toArray(ValueLayout.JAVA_BYTE);
            assertAll(bytes, 0, length, (byte) 0, length);
        }
    }

    @Test
    void zero_fromEitherEnd_clearsThatRange() {
        long[] bounds = {
            Zeroing.FIRST_LEVEL_BYTES, Zeroing.FIRST_LEVEL_MOST_BYTES, Zeroing.SECOND_LEVEL_BYTES
        };
        for (long bound : bounds) {
            for (long length : new long[] {bound - 64, bound, bound + 64}) {
                for (boolean fromEnd : new boolean[] {false, true}) {
                    checkExactly(
                            Math.toIntExact(length),
                            (address, bytes) -> Zeroing.zero(address, bytes, fromEnd));
                }
            }
        }
    }

    @Test
    void beginsAtEnd_written_always_elseEveryOtherTime() {
        long bytes = Zeroing.FIRST_LEVEL_BYTES + 64;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(bytes, 64);
            long address = memory.address();
            assertThat(Zeroing.beginsAtEnd(address, bytes, false)).isTrue();
            assertThat(Zeroing.beginsAtEnd(address, bytes, true)).isFalse();
            memory.fill(DIRT);
            assertThat(Zeroing.beginsAtEnd(address, bytes, false)).isTrue();
            assertThat(Zeroing.beginsAtEnd(address, bytes, true)).isTrue();
        }
    }

    /** By the C library, where system calls have been made before. */
    @Test
    void zero_much_clearsThatRange() {
        FirstUse.ensure();
        for (int length : new int[] {1 << 20, (1 << 20) + 1, (2 << 20) - 63, 3 << 20}) {
            check(length, BEFORE);
        }
        try (Arena arena = Arena.ofConfined()) {
            assertThat(Zeroing.zeroNatively(arena.allocate(64).address(), 64)).isTrue();
        }
    }

    @Test
    void zeroExactly_everyLength_clearsThatRangeAndNoMore() {
        for (int length = 0; length <= 8300; length += 8) {
            checkExactly(length);
        }
        checkExactly(1 << 20);
        checkExactly((1 << 20) - 8);
    }

    /** A way to clear so many bytes from an address on. */
    private interface Way {
        void clear(long address, long bytes);
    }

    private static void checkExactly(int length) {
        checkExactly(length, Zeroing::zeroExactly);
    }

    private static void checkExactly(int length, Way way) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(BEFORE + length + AFTER, 64);
            memory.fill(DIRT);
            way.clear(memory.address() + BEFORE, length);
            byte[] bytes = memory.toArray(ValueLayout.JAVA_BYTE);
            assertAll(bytes, 0, BEFORE, DIRT, length);
            assertAll(bytes, BEFORE, BEFORE + length, (byte) 0, length);
            assertAll(bytes, BEFORE + length, bytes.length, DIRT, length);
        }
    }

    private static void check(int length, int offset) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(offset + length + AFTER, 64);
            memory.fill(DIRT);
            Zeroing.zero(memory.address() + offset, length);
            byte[] bytes = memory.toArray(ValueLayout.JAVA_BYTE);
            int end = offset + length;
            int grain = Math.toIntExact(Zeroing.GRAIN_BYTES);
            int roundedEnd = offset + Math.ceilDiv(length, grain) * grain;
            assertAll(bytes, 0, offset, DIRT, length);
            assertAll(bytes, offset, end, (byte) 0, length);
            assertAll(bytes, roundedEnd, bytes.length, DIRT, length);
        }
    }

    private static void assertAll(byte[] bytes, int from, int to, byte value, int length) {
        byte[] expected = new byte[to - from];
        Arrays.fill(expected, value);
        assertThat(Arrays.mismatch(bytes, from, to, expected, 0, expected.length))
                .describedAs("length=%d: first wrong byte of [%d, %d)", length, from, to)
                .isEqualTo(-1);
    }
}
