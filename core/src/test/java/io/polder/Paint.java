package io.polder;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Patterns by which bytes are known again. */
public final class Paint {
    private static final MemorySegment ZEROS = MemorySegment.ofArray(new byte[1 << 20]);

    private Paint() {}

    /** Fills a segment with the pattern of a seed, in which no two neighbours are alike. */
    public static void paint(MemorySegment segment, long seed) {
        for (long i = 0; i < segment.byteSize(); i++) {
            segment.set(ValueLayout.JAVA_BYTE, i, at(seed, i));
        }
    }

    /** Whether a segment holds the pattern of a seed. */
    public static boolean isPainted(MemorySegment segment, long seed) {
        for (long i = 0; i < segment.byteSize(); i++) {
            if (segment.get(ValueLayout.JAVA_BYTE, i) != at(seed, i)) {
                return false;
            }
        }
        return true;
    }

    /** Whether a segment reads as zero. */
    public static boolean isZero(MemorySegment segment) {
        for (long from = 0; from < segment.byteSize(); from += ZEROS.byteSize()) {
            long bytes = Math.min(ZEROS.byteSize(), segment.byteSize() - from);
            if (segment.asSlice(from, bytes).mismatch(ZEROS.asSlice(0, bytes)) >= 0) {
                return false;
            }
        }
        return true;
    }

    private static byte at(long seed, long index) {
        return (byte) (1 + (seed * 31 + index * 7) % 127);
    }
}
