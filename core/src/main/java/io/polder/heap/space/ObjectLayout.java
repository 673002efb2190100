package io.polder.heap.space;

import static io.polder.memory.Zeroing.ADDRESS_SPACE;

import io.polder.memory.Message;
import io.polder.memory.Zeroing;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * An object in a region: its header, then its bytes, then up to 7 bytes so that the next one is
 * aligned.
 *
 * <pre>{@code
 *    -8              0                    8
 *    +---------------+------+-------------+-----------------------+
 *    | size, if LONG | size | index       | bytes ...             |
 *    +---------------+------+-------------+-----------------------+
 *                    63   40 39          0
 * }</pre>
 *
 * <p>The index names the handle's slot. A size that does not fit is {@link #LONG}, and stands in
 * front of the header: such objects have a page of their own. The address of an object is that of
 * its header.
 *
 * <p>A header is there as soon as there is room for the object ({@link Region#allocate} writes it),
 * so that who goes through a region finds the next one; it names the slot before the handle is
 * published. Then it changes no more but for the size, to one with which the object takes as much
 * room.
 */
final class ObjectLayout {
    static final long HEADER_BYTES = 8;
    static final long ALIGNMENT_BYTES = 8;

    /** The largest size that fits into the header. */
    static final long SHORT_MAX_BYTES = (1L << 24) - 2;

    /** The largest object. */
    static final long SIZE_MAX_BYTES = 1L << 40;

    /** Stands for a slot in the header of an object that has no handle, or none yet. */
    static final long NO_INDEX = HandleLayout.INDEX_MAX;

    private static final int LONG = (1 << 24) - 1;
    private static final int SIZE_SHIFT = 40;
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;

    /** A word whose first bytes are its lowest ones. */
    private static final ValueLayout.OfLong LAST = WORD.withOrder(ByteOrder.LITTLE_ENDIAN);

    private ObjectLayout() {}

    /**
     * Fails with a {@link StackOverflowError} where a store at this address would, made by the
     * caller in place: to be called before there is room whose header must be written. It needs a
     * little more stack than the store.
     */
    static long probeStack(long address) {
        return word(address);
    }

    private static long word(long address) {
        return ADDRESS_SPACE.get(WORD, address);
    }

    /** What stands in front of an object whose size fits. */
    static long header(long sizeBytes, long index) {
        return (sizeBytes << SIZE_SHIFT) | index;
    }

    /** What an object takes from its region. */
    static long footprint(long sizeBytes) {
        return HEADER_BYTES + ((sizeBytes + ALIGNMENT_BYTES - 1) & -ALIGNMENT_BYTES);
    }

    /** The header of an object in a page of its own, and the word before it. */
    static void writeLongHeader(long address, long sizeBytes) {
        ADDRESS_SPACE.set(WORD, address - WORD.byteSize(), sizeBytes);
        ADDRESS_SPACE.set(WORD, address, header(Math.min(sizeBytes, LONG), NO_INDEX));
    }

    /** Has the header of an object that has no handle yet name a slot. */
    static void setIndex(long address, long index) {
        ADDRESS_SPACE.set(WORD, address, (word(address) & ~HandleLayout.INDEX_MAX) | index);
    }

    /** The size of an object, which is read before any of its bytes. */
    static long sizeBytes(long address) {
        long size = ADDRESS_SPACE.get(WORD, address) >>> SIZE_SHIFT;
        long bytes = size == LONG ? ADDRESS_SPACE.get(WORD, address - WORD.byteSize()) : size;
        VarHandle.acquireFence();
        return bytes;
    }

    /**
     * The same, if it is in the header; else some number that is more than {@link
     * #SHORT_MAX_BYTES}, and not more than the size. Reads the header only.
     */
    static long shortSizeBytes(long address) {
        return ADDRESS_SPACE.get(WORD, address) >>> SIZE_SHIFT;
    }

    static long index(long address) {
        return HandleLayout.index(ADDRESS_SPACE.get(WORD, address));
    }

    static long content(long address) {
        return address + HEADER_BYTES;
    }

    /** The bytes of an object, for as long as something lives. */
    @SuppressWarnings("restricted")
    static MemorySegment view(long address, Arena lifetime) {
        return MemorySegment.ofAddress(content(address))
                .reinterpret(sizeBytes(address), lifetime, null);
    }

    /**
     * Copies an object into an array of its size.
     *
     * @throws IllegalArgumentException if no array is as large
     */
    static byte[] toArray(long address) {
        long bytes = sizeBytes(address);
        if (bytes > Integer.MAX_VALUE - 8) {
            throw new IllegalArgumentException("an array has less than 2 GiB: size=" + bytes);
        }
        byte[] array = new byte[(int) bytes];
        MemorySegment to = MemorySegment.ofArray(array);
        MemorySegment.copy(ADDRESS_SPACE, content(address), to, 0, bytes);
        return array;
    }

    /**
     * Where some bytes of an object are.
     *
     * @throws IndexOutOfBoundsException if it has not so many
     */
    static long checkedContent(long address, long offset, long bytes) {
        long size = sizeBytes(address);
        if (offset < 0 || bytes > size - offset) {
            throw outside(offset, bytes, size);
        }
        return content(address) + offset;
    }

    private static IndexOutOfBoundsException outside(long offset, long bytes, long size) {
        return new IndexOutOfBoundsException(
                Message.of(
                        "an access must be within the object: offset=%, bytes=%, size=%",
                        offset, bytes, size));
    }

    /**
     * Gives an object another size, if it takes as much room with that; what it has more is zero
     * for code that sees that size.
     *
     * @return whether it does
     */
    static boolean resizeInPlace(long address, long bytes) {
        long was = sizeBytes(address);
        if (footprint(was) != footprint(bytes)) {
            return false;
        }
        if (bytes > was) {
            long last = content(address) + (was & -ALIGNMENT_BYTES);
            long kept = (1L << (was % ALIGNMENT_BYTES * Byte.SIZE)) - 1;
            ADDRESS_SPACE.set(LAST, last, ADDRESS_SPACE.get(LAST, last) & kept);
            VarHandle.releaseFence();
        }
        if (bytes >= LONG) {
            ADDRESS_SPACE.set(WORD, address - WORD.byteSize(), bytes);
        }
        ADDRESS_SPACE.set(WORD, address, header(Math.min(bytes, LONG), index(address)));
        return true;
    }

    /** Copies the bytes of an object, with what aligns the next one; not its header. */
    static void copyContent(long from, long to, long footprintBytes) {
        MemorySegment.copy(
                ADDRESS_SPACE,
                content(from),
                ADDRESS_SPACE,
                content(to),
                footprintBytes - HEADER_BYTES);
    }

    /** Copies the bytes of an object to one of another size, as many as fit, and zeros the rest. */
    static void copyResized(long from, long to) {
        long bytes = Math.min(sizeBytes(from), sizeBytes(to));
        long whole = bytes & -ALIGNMENT_BYTES;
        Zeroing.zeroExactly(content(to) + whole, footprint(sizeBytes(to)) - HEADER_BYTES - whole);
        MemorySegment.copy(ADDRESS_SPACE, content(from), ADDRESS_SPACE, content(to), bytes);
    }

    /** Zeros the bytes of an object, with what aligns the next one. */
    static void clear(long address, long footprintBytes) {
        Zeroing.zeroExactly(content(address), footprintBytes - HEADER_BYTES);
    }
}
