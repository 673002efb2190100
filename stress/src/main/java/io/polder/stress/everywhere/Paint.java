package io.polder.stress.everywhere;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** What owners write to their memory, each something else, and find there later. */
public final class Paint {
    private static final long STEP = 0x9E3779B97F4A7C15L;

    private Paint() {}

    /** Memory by its address. */
    @SuppressWarnings("restricted") // who asks has that memory
    public static MemorySegment at(long address, long bytes) {
        return MemorySegment.ofAddress(address).reinterpret(bytes);
    }

    /** Writes to all of a segment. */
    public static void paint(MemorySegment segment, long seed) {
        long words = segment.byteSize() / 8;
        for (long i = 0; i < words; i++) {
            segment.setAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, i, word(seed, i));
        }
        for (long at = 8 * words; at < segment.byteSize(); at++) {
            segment.set(ValueLayout.JAVA_BYTE, at, (byte) seed);
        }
    }

    /**
     * Checks that it is all there.
     *
     * @throws AssertionError if not; says where
     */
    public static void requirePainted(MemorySegment segment, long seed) {
        long words = segment.byteSize() / 8;
        for (long i = 0; i < words; i++) {
            require(segment, 8 * i, word(seed, i), get(segment, i));
        }
        for (long at = 8 * words; at < segment.byteSize(); at++) {
            require(segment, at, (byte) seed, segment.get(ValueLayout.JAVA_BYTE, at));
        }
    }

    /**
     * Checks that a segment reads as zero.
     *
     * @throws AssertionError if not; says where
     */
    public static void requireZero(MemorySegment segment) {
        long words = segment.byteSize() / 8;
        for (long i = 0; i < words; i++) {
            require(segment, 8 * i, 0, get(segment, i));
        }
        for (long at = 8 * words; at < segment.byteSize(); at++) {
            require(segment, at, 0, segment.get(ValueLayout.JAVA_BYTE, at));
        }
    }

    private static long get(MemorySegment segment, long index) {
        return segment.getAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, index);
    }

    private static long word(long seed, long index) {
        return seed * STEP + index | 1;
    }

    private static void require(MemorySegment segment, long at, long expected, long found) {
        if (found != expected) {
            throw new AssertionError(
                    "memory holds what its owner wrote, or zero: "
                            + "expected=%x, found=%x, at=%d, segment=%s"
                                    .formatted(expected, found, at, segment));
        }
    }
}
