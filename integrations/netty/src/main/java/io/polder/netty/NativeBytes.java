package io.polder.netty;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Memory by address, for buffers whose bounds Netty has checked. Its first use needs native access
 * for this module.
 */
final class NativeBytes {
    /** All memory: an offset in it is an address. */
    @SuppressWarnings("restricted")
    static final MemorySegment MEMORY = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    static final ValueLayout.OfShort SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    static final ValueLayout.OfShort SHORT_LE =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    static final ValueLayout.OfInt INT =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    static final ValueLayout.OfInt INT_LE =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    static final ValueLayout.OfLong LONG =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    static final ValueLayout.OfLong LONG_LE =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private NativeBytes() {}

    static void copy(long from, long to, int bytes) {
        MemorySegment.copy(MEMORY, from, MEMORY, to, bytes);
    }

    static void copy(long from, byte[] to, int index, int bytes) {
        MemorySegment.copy(MEMORY, ValueLayout.JAVA_BYTE, from, to, index, bytes);
    }

    static void copy(byte[] from, int index, long to, int bytes) {
        MemorySegment.copy(from, index, MEMORY, ValueLayout.JAVA_BYTE, to, bytes);
    }
}
