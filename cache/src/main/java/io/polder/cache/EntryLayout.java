package io.polder.cache;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * An entry, one object of the heap.
 *
 * <pre>{@code
 *   +----------+---------------------+-----+-------+
 *   | deadline |  bytes of the key   | key | value |
 *   +----------+---------------------+-----+-------+
 *     0 or 8      0, 1 or 5
 * }</pre>
 *
 * <p>The deadline is there if entries of the cache expire: nanoseconds of its ticker, since the
 * cache was built. The size of the key is there unless all keys have the same; from {@link #LONG}
 * on it takes an int more. The value is the rest.
 *
 * @param expires whether entries have a deadline
 * @param keyBytes the size of each key; -1 if they differ
 */
record EntryLayout(boolean expires, int keyBytes) {
    /** Instead of a deadline. */
    static final long NEVER = Long.MAX_VALUE;

    private static final int LONG = 255;

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final VarHandle INTS =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.nativeOrder());
    private static final VarHandle LONGS =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private int sizeOffset() {
        return expires ? Long.BYTES : 0;
    }

    /** Where a key of this size begins. */
    int keyOffset(int bytes) {
        int ofSize = keyBytes >= 0 ? 0 : bytes < LONG ? 1 : 1 + Integer.BYTES;
        return sizeOffset() + ofSize;
    }

    /** Writes all but the value. */
    void writeFront(MemorySegment to, long deadline, byte[] key, int bytes) {
        if (expires) {
            setDeadline(to, deadline);
        }
        if (keyBytes < 0) {
            int at = sizeOffset();
            to.set(ValueLayout.JAVA_BYTE, at, (byte) Math.min(bytes, LONG));
            if (bytes >= LONG) {
                to.set(INT, at + 1L, bytes);
            }
        }
        MemorySegment.copy(key, 0, to, ValueLayout.JAVA_BYTE, keyOffset(bytes), bytes);
    }

    long deadline(byte[] entry) {
        return expires ? (long) LONGS.get(entry, 0) : NEVER;
    }

    long deadline(MemorySegment entry) {
        return expires ? entry.get(WORD, 0) : NEVER;
    }

    /** Has an entry that has a deadline expire later. */
    void delay(MemorySegment entry, long nanos) {
        long was = entry.get(WORD, 0);
        long deadline = was + nanos;
        setDeadline(entry, deadline < was ? NEVER : deadline);
    }

    void setDeadline(MemorySegment entry, long deadline) {
        entry.set(WORD, 0, deadline);
    }

    /** Whether an entry is what was found, but for the deadline. */
    boolean isSame(byte[] entry, Scratch found) {
        int from = sizeOffset();
        return Arrays.equals(entry, from, entry.length, found.entry, from, (int) found.entryBytes);
    }

    /** Whether a key stands in an entry; most are so short that a call takes longer. */
    boolean isKey(byte[] entry, int offset, byte[] key, int bytes) {
        int at = 0;
        for (; at + Long.BYTES <= bytes; at += Long.BYTES) {
            if ((long) LONGS.get(entry, offset + at) != (long) LONGS.get(key, at)) {
                return false;
            }
        }
        for (; at < bytes; at++) {
            if (entry[offset + at] != key[at]) {
                return false;
            }
        }
        return true;
    }

    int keyBytes(byte[] entry) {
        if (keyBytes >= 0) {
            return keyBytes;
        }
        int first = entry[sizeOffset()] & 0xFF;
        return first < LONG ? first : (int) INTS.get(entry, sizeOffset() + 1);
    }

    int keyBytes(MemorySegment entry) {
        if (keyBytes >= 0) {
            return keyBytes;
        }
        int first = entry.get(ValueLayout.JAVA_BYTE, sizeOffset()) & 0xFF;
        return first < LONG ? first : entry.get(INT, sizeOffset() + 1L);
    }

    /** The bytes of the key. */
    MemorySegment key(MemorySegment entry) {
        int bytes = keyBytes(entry);
        return entry.asSlice(keyOffset(bytes), bytes);
    }

    /** All but the value. */
    MemorySegment front(MemorySegment entry) {
        int bytes = keyBytes(entry);
        return entry.asSlice(0, keyOffset(bytes) + (long) bytes);
    }

    /** The bytes of the value. */
    MemorySegment value(MemorySegment entry) {
        int bytes = keyBytes(entry);
        return entry.asSlice(keyOffset(bytes) + (long) bytes);
    }
}
