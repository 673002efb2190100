package io.polder.stress.everywhere;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** What owners write to their memory, each something else, and find there later. */
public final class Paint {
    private static final long STEP = 0x9E3779B97F4A7C15L;
    private static final int PIECE_WORDS = 4096;
    private static final MemorySegment ZEROS =
            MemorySegment.ofArray(new long[PIECE_WORDS]).asReadOnly();

    private Paint() {}

    /** Memory by its address. */
    @SuppressWarnings("restricted") // who asks has that memory
    public static MemorySegment at(long address, long bytes) {
        return MemorySegment.ofAddress(address).reinterpret(bytes);
    }

    /** Writes to all of a segment. */
    public static void paint(MemorySegment segment, long seed) {
        byPieces(segment, seed, (expected, _, piece) -> piece.copyFrom(expected));
    }

    /**
     * Checks that it is all there.
     *
     * @throws AssertionError if not; says where
     */
    public static void requirePainted(MemorySegment segment, long seed) {
        byPieces(segment, seed, Paint::require);
    }

    /**
     * Checks that a segment reads as zero.
     *
     * @throws AssertionError if not; says where
     */
    public static void requireZero(MemorySegment segment) {
        for (long at = 0; at < segment.byteSize(); at += ZEROS.byteSize()) {
            MemorySegment found = piece(segment, at, ZEROS.byteSize());
            require(ZEROS.asSlice(0, found.byteSize()), at, found);
        }
    }

    /** What is done with a piece of a segment: what its owner writes there, from where, and it. */
    private interface Piece {
        void use(MemorySegment expected, long at, MemorySegment piece);
    }

    /** A call for each word would take most of a sweep's time, with the first compiler alone. */
    private static void byPieces(MemorySegment segment, long seed, Piece use) {
        long[] words = new long[(int) Math.min(PIECE_WORDS, (segment.byteSize() + 7) / 8)];
        MemorySegment expected = MemorySegment.ofArray(words);
        for (long at = 0; at < segment.byteSize(); at += expected.byteSize()) {
            for (int i = 0; i < words.length; i++) {
                words[i] = word(seed, at / 8 + i);
            }
            MemorySegment piece = piece(segment, at, expected.byteSize());
            use.use(expected.asSlice(0, piece.byteSize()), at, piece);
        }
    }

    private static MemorySegment piece(MemorySegment segment, long at, long bytes) {
        return segment.asSlice(at, Math.min(bytes, segment.byteSize() - at));
    }

    private static long word(long seed, long index) {
        return seed * STEP + index | 1;
    }

    private static void require(MemorySegment expected, long at, MemorySegment found) {
        long wrong = found.mismatch(expected);
        if (wrong >= 0) {
            throw new AssertionError(
                    "memory holds what its owner wrote, or zero: "
                            + "expected=%x, found=%x, at=%d, address=%x"
                                    .formatted(
                                            expected.get(ValueLayout.JAVA_BYTE, wrong),
                                            found.get(ValueLayout.JAVA_BYTE, wrong),
                                            at + wrong,
                                            found.address() + wrong));
        }
    }
}
