package io.polder.heap.space;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A hash of bytes: a multiplication and a shift for each eight of them, so that each bit of these
 * goes up and the upper ones come down, and an end that mixes all bits. Not for secrets, nor
 * against who chooses keys that collide.
 */
public final class ContentHash {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED;

    /** An odd number whose bits look random: that of the golden ratio. */
    private static final long FACTOR = 0x9E37_79B9_7F4A_7C15L;

    /** Brings down what a multiplication has brought up. */
    private static final int DOWN = 29;

    private ContentHash() {}

    /** The hash of a segment. */
    public static long of(MemorySegment segment) {
        return of(segment, 0, segment.byteSize());
    }

    /** The hash of some bytes of a segment. */
    static long of(MemorySegment segment, long from, long bytes) {
        long hash = bytes;
        long offset = 0;
        for (; bytes - offset >= Long.BYTES; offset += Long.BYTES) {
            hash = mix(hash ^ segment.get(WORD, from + offset));
        }
        long last = 0;
        for (; offset < bytes; offset++) {
            int next = segment.get(ValueLayout.JAVA_BYTE, from + offset) & 0xFF;
            last = (last << Byte.SIZE) | next;
        }
        return mix(mix(hash ^ last));
    }

    private static long mix(long hash) {
        long multiplied = hash * FACTOR;
        return multiplied ^ (multiplied >>> DOWN);
    }
}
