package io.polder.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;

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

    /**
     * Whether bytes of a buffer, within its bounds, are at its memory address, and within the
     * bounds of what it is a slice or a duplicate of, too: that may have shrunk since. Where they
     * are not, the buffer's own methods copy or refuse.
     */
    static boolean areIn(ByteBuf buffer, int index, int bytes) {
        if (!buffer.hasMemoryAddress()) {
            return false;
        }
        ByteBuf next = buffer.unwrap();
        if (next == null) {
            return !(buffer instanceof CompositeByteBuf); // whose one component may be a slice
        }
        ByteBuf whole = next;
        for (next = whole.unwrap(); next != null; next = whole.unwrap()) {
            whole = next;
        }
        if (whole instanceof CompositeByteBuf || !whole.hasMemoryAddress()) {
            return false;
        }
        long offset = buffer.memoryAddress() + index - whole.memoryAddress();
        return offset >= 0 && offset + bytes <= whole.capacity();
    }

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
