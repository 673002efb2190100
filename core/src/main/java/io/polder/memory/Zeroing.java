package io.polder.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Writes zeros to memory named by address, for whoever gives memory back.
 *
 * <p>By copying zeros: the JVM's copy moves whole vectors, where its fill moves
 * eight bytes at a time and a compiled loop of stores is not always turned into vectors. To measure
 * it: {@code bench/run ClearingMemory}. Below some {@link #COPY_FROM_BYTES} a few {@linkplain #WORD
 * stores} in a row are cheaper, for callers who want to write them out; much at a time is for
 * {@link NativeZeroing}.
 *
 * <p>Thread-safe: no state of its own; the caller owns the range. The first use needs native access
 * for Polder's module.
 */
public final class Zeroing {
    /** {@link #zero} rounds lengths up to a multiple of this many bytes. */
    public static final long GRAIN_BYTES = 64;

    /** Up to here stores in a row cost no more than a copy: measured, as above. */
    public static final long COPY_FROM_BYTES = 128;

    /** All memory, by address. To write to memory that the writer owns. */
    @SuppressWarnings("restricted")
    public static final MemorySegment ADDRESS_SPACE =
            MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    /** What one store in {@link #ADDRESS_SPACE} writes. */
    public static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED;

    /**
     * How much one copy moves: little enough for the source to stay in the first-level cache, and
     * enough for the call to cost nothing to speak of. Half of it is slower by a tenth: measured.
     */
    private static final long ZEROS_BYTES = 8192;

    private static final MemorySegment ZEROS = Arena.global().allocate(ZEROS_BYTES, ZEROS_BYTES);

    private Zeroing() {}

    /**
     * Clears {@code bytes} bytes from {@code address} on and not one more, for memory whose
     * neighbours have owners.
     *
     * @param address the first byte, of memory the caller owns
     * @param bytes how many, a multiple of 8, 0 or more
     */
    public static void zeroExactly(long address, long bytes) {
        if (bytes <= COPY_FROM_BYTES) {
            for (long at = 0; at < bytes; at += WORD.byteSize()) {
                ADDRESS_SPACE.set(WORD, address + at, 0);
            }
            return;
        }
        long last = bytes % GRAIN_BYTES;
        zero(address, bytes - last);
        MemorySegment.copy(ZEROS, 0, ADDRESS_SPACE, address + bytes - last, last);
    }

    /**
     * Clears {@code bytes} bytes from {@code address} on, rounded up to {@link #GRAIN_BYTES}. So
     * the range must lie in memory of the caller's that reaches that far, and is zero there anyway.
     *
     * @param address the first byte, of memory the caller owns
     * @param bytes how many, 0 or more
     */
    public static void zero(long address, long bytes) {
        long rest = (bytes + GRAIN_BYTES - 1) & -GRAIN_BYTES;
        if (rest >= NativeZeroing.FROM_BYTES && NativeZeroing.zero(address, rest)) {
            return;
        }
        long at = address;
        while (rest > ZEROS_BYTES) {
            MemorySegment.copy(ZEROS, 0, ADDRESS_SPACE, at, ZEROS_BYTES);
            at += ZEROS_BYTES;
            rest -= ZEROS_BYTES;
        }
        MemorySegment.copy(ZEROS, 0, ADDRESS_SPACE, at, rest);
    }
}
