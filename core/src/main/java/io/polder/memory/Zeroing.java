package io.polder.memory;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Writes zeros to memory named by address, for code that gives memory back.
 *
 * <p>By the JVM's fill, of an odd number of bytes: then it fills byte by byte as far as anybody can
 * tell, and so writes whole vectors. Where address and length are multiples of eight it moves
 * eight bytes at a time, since nobody is to see half of a {@code long} written, and takes four
 * times as long. A copy of zeros has to read them, and a compiled loop of stores is not always
 * turned into vectors. To measure it: {@code bench/run ClearingMemory}. Up to {@link
 * #STORES_MAX_BYTES} a few {@linkplain #WORD stores} in a row are cheaper, for callers who want to
 * write them out; much at a time is for the C library.
 *
 * <p>A little more than a cache of a core holds is cleared in pieces, beginning at the end that is
 * more likely to be in it: that is the last one if an owner wrote to all of it, from the front as
 * most do, and the other end than last time if nobody wrote to it since. A thread that writes from
 * the front then finds that in the cache as well. In one direction each piece would evict what
 * comes next.
 *
 * <p>What is public here is at most two calls away from the fill. A slice of it is no object of the
 * Java heap only where the compiler inlines all of its constructors, and it goes no more than 15
 * calls deep, of which an arena's own are eight.
 *
 * <p>Thread-safe: the caller owns the range, and what is remembered is a hint. The first use needs
 * native access for Polder's module.
 */
public final class Zeroing {
    /** {@link #zero} rounds lengths up to a multiple of this many bytes. */
    public static final long GRAIN_BYTES = 64;

    /** Up to here stores in a row cost no more than a fill: measured, as above. */
    public static final long STORES_MAX_BYTES = 128;

    /** All memory, by address. To write to memory that the writer owns. */
    @SuppressWarnings("restricted")
    public static final MemorySegment ADDRESS_SPACE =
            MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    /** What one store in {@link #ADDRESS_SPACE} writes. */
    public static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED;

    /**
     * Beyond this it may be more than a first-level cache of 48 KiB holds, and up to {@link
     * #FIRST_LEVEL_MOST_BYTES} a part of it is there still: measured, on a processor that has one.
     * Pieces of a third of that bring more there than they cost, and smaller or larger ones less.
     */
    static final long FIRST_LEVEL_BYTES = 40 << 10;

    static final long FIRST_LEVEL_MOST_BYTES = 80 << 10;

    private static final long FIRST_LEVEL_PIECE_BYTES = 16 << 10;

    /**
     * From here on it may be more than a second-level cache holds, next to what else is there: half
     * of what most have; measured in the same way.
     */
    static final long SECOND_LEVEL_BYTES = 512 << 10;

    /** Of a quarter of such a cache to all of it, measured in the same way. */
    static final long PIECE_BYTES = 256 << 10;

    /**
     * From here on the {@code memset} of the C library takes no more time, and a fifth less beyond
     * the second-level cache: it knows how the processor clears more than its caches hold without
     * reading it first, which no other way does. For less glibc has it repeat one instruction,
     * which takes half as much again: measured, {@code bench/run ClearingMemory}.
     */
    static final long NATIVE_BYTES = 1 << 20;

    /**
     * Whether the last one was begun at its end, of those whose owner does not remember. A benign
     * race: threads that clear much at the same time choose a direction for each other, and either
     * direction clears.
     */
    private static boolean begunAtEnd;

    private Zeroing() {}

    /**
     * Clears {@code bytes} bytes from {@code address} on and not one more, for memory whose
     * neighbours have owners.
     *
     * @param address the first byte, of memory the caller owns
     * @param bytes how many, a multiple of 8, 0 or more
     */
    public static void zeroExactly(long address, long bytes) {
        if (bytes <= STORES_MAX_BYTES) {
            for (long at = 0; at < bytes; at += WORD.byteSize()) {
                ADDRESS_SPACE.set(WORD, address + at, 0);
            }
            return;
        }
        clear(address, bytes);
    }

    /**
     * Clears {@code bytes} bytes from {@code address} on, rounded up to {@link #GRAIN_BYTES}. So
     * the range must lie in memory of the caller's that reaches that far, and is zero there anyway.
     *
     * @param address the first byte, of memory the caller owns
     * @param bytes how many, 0 or more
     */
    public static void zero(long address, long bytes) {
        clear(address, wholeGrains(bytes));
    }

    /**
     * Does the same from a chosen end on.
     *
     * @param fromEnd what {@link #beginsAtEnd} returned for the range
     */
    public static void zero(long address, long bytes, boolean fromEnd) {
        long whole = wholeGrains(bytes);
        clearInPieces(address, whole, pieceBytes(whole), fromEnd);
    }

    /**
     * At which end to begin with a range that the caller will clear.
     *
     * @param address the first byte, of memory the caller owns
     * @param bytes how many, 0 or more
     * @param lastAtEnd what this returned last time, for the same range if possible
     */
    public static boolean beginsAtEnd(long address, long bytes, boolean lastAtEnd) {
        return bytes <= FIRST_LEVEL_BYTES
                ? lastAtEnd
                : !lastAtEnd || ADDRESS_SPACE.get(WORD, address + bytes / 2) != 0;
    }

    private static long wholeGrains(long bytes) {
        return (bytes + GRAIN_BYTES - 1) & -GRAIN_BYTES;
    }

    private static void clear(long address, long bytes) {
        boolean fromEnd = false;
        long most = bytes;
        if (bytes >= SECOND_LEVEL_BYTES) {
            fromEnd = beginsAtEnd(address, bytes, begunAtEnd);
            begunAtEnd = fromEnd;
            most = PIECE_BYTES;
        }
        clearInPieces(address, bytes, most, fromEnd);
    }

    private static long pieceBytes(long bytes) {
        if (bytes >= SECOND_LEVEL_BYTES) {
            return PIECE_BYTES;
        }
        return bytes > FIRST_LEVEL_BYTES && bytes <= FIRST_LEVEL_MOST_BYTES
                ? FIRST_LEVEL_PIECE_BYTES
                : bytes;
    }

    /**
     * Clears a multiple of {@link #WORD}s, from one end to the other. Each piece is less than a
     * mebibyte, since the JVM cannot stop the thread while it fills one, and is filled but for its
     * last byte.
     */
    static void clearInPieces(long address, long bytes, long most, boolean fromEnd) {
        boolean natively = bytes >= NATIVE_BYTES;
        for (long left = bytes; left > 0; ) {
            long piece = Math.min(left, most);
            left -= piece;
            long at = fromEnd ? address + left : address + bytes - left - piece;
            if (!natively || !zeroNatively(at, piece)) {
                ADDRESS_SPACE.asSlice(at, piece - 1).fill((byte) 0);
                ADDRESS_SPACE.set(ValueLayout.JAVA_BYTE, at + piece - 1, (byte) 0);
            }
        }
    }

    /**
     * Clears memory by a call that the JVM can stop during; where the linker is in use anyway.
     *
     * @return whether that was done; if not, some of it may be clear
     */
    static boolean zeroNatively(long address, long bytes) {
        return FirstUse.done
                && LinuxCalls.call(FirstUse.Linked.MEMSET, address, 0, bytes, 0, 0, 0, 0)
                        == address;
    }
}
