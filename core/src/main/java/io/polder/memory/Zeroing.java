package io.polder.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Writes zeros to memory named by address, for whoever gives memory back.
 *
 * <p>Two ways, chosen by size. Up to {@link #STRAIGHT_BYTES}: stores of eight bytes in a row,
 * entered at the right one, without a loop. Beyond: copies from a page of zeros, because the JVM's
 * copy moves whole vectors, where its fill moves eight bytes at a time and a compiled loop of
 * stores is not always turned into vectors. To measure it: {@code bench/run ClearingMemory}.
 *
 * <p>Lengths are rounded up to {@link #GRAIN_BYTES} at most, so the range must lie in memory of the
 * caller's that reaches that far and is zero there anyway.
 *
 * <p>Thread-safe: no state of its own; the caller owns the range. The first use needs native access
 * for Polder's module.
 */
public final class Zeroing {
    /** Lengths are rounded up to a multiple of this many bytes. */
    public static final long GRAIN_BYTES = 64;

    /**
     * Where a copy becomes as fast as the stores: measured, see {@code bench/run ClearingMemory}.
     */
    static final long STRAIGHT_BYTES = 2 * GRAIN_BYTES;

    /** How much one copy moves: an OS page, so that the source stays in the first-level cache. */
    private static final long ZEROS_BYTES = 4096;

    /** What one step of {@link #zero} clears. */
    private static final long UNIT_BYTES = 2 * Long.BYTES;

    @SuppressWarnings("restricted")
    private static final MemorySegment ADDRESS_SPACE =
            MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    private static final MemorySegment ZEROS = Arena.global().allocate(ZEROS_BYTES, ZEROS_BYTES);
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED;

    private Zeroing() {}

    /**
     * Clears {@code bytes} bytes from {@code address} on, rounded up to {@link #GRAIN_BYTES}.
     *
     * <p>Written out rather than looped, and thereby longer than what HotSpot inlines into a hot
     * caller ({@code FreqInlineSize}). That is wanted: one store through a segment is hundreds of
     * nodes to the compiler, and with a few of them inlined, the caller's own arenas no longer are.
     *
     * @param address the first byte, of memory the caller owns
     * @param bytes how many, 0 or more
     */
    @SuppressWarnings("fallthrough")
    public static void zero(long address, long bytes) {
        if (bytes > STRAIGHT_BYTES) {
            zeroByCopy(address, bytes);
            return;
        }
        switch ((int) ((bytes + UNIT_BYTES - 1) / UNIT_BYTES)) {
            case 8:
                ADDRESS_SPACE.set(WORD, address + 120, 0L);
                ADDRESS_SPACE.set(WORD, address + 112, 0L);
            // fall through
            case 7:
                ADDRESS_SPACE.set(WORD, address + 104, 0L);
                ADDRESS_SPACE.set(WORD, address + 96, 0L);
            // fall through
            case 6:
                ADDRESS_SPACE.set(WORD, address + 88, 0L);
                ADDRESS_SPACE.set(WORD, address + 80, 0L);
            // fall through
            case 5:
                ADDRESS_SPACE.set(WORD, address + 72, 0L);
                ADDRESS_SPACE.set(WORD, address + 64, 0L);
            // fall through
            case 4:
                ADDRESS_SPACE.set(WORD, address + 56, 0L);
                ADDRESS_SPACE.set(WORD, address + 48, 0L);
            // fall through
            case 3:
                ADDRESS_SPACE.set(WORD, address + 40, 0L);
                ADDRESS_SPACE.set(WORD, address + 32, 0L);
            // fall through
            case 2:
                ADDRESS_SPACE.set(WORD, address + 24, 0L);
                ADDRESS_SPACE.set(WORD, address + 16, 0L);
            // fall through
            case 1:
                ADDRESS_SPACE.set(WORD, address + 8, 0L);
                ADDRESS_SPACE.set(WORD, address, 0L);
            // fall through
            default:
        }
    }

    private static void zeroByCopy(long address, long bytes) {
        long rest = (bytes + GRAIN_BYTES - 1) & -GRAIN_BYTES;
        long at = address;
        while (rest > ZEROS_BYTES) {
            MemorySegment.copy(ZEROS, 0, ADDRESS_SPACE, at, ZEROS_BYTES);
            at += ZEROS_BYTES;
            rest -= ZEROS_BYTES;
        }
        MemorySegment.copy(ZEROS, 0, ADDRESS_SPACE, at, rest);
    }
}
