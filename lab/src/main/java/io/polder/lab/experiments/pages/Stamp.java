package io.polder.lab.experiments.pages;

import io.polder.memory.Zeroing;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * What is written into objects: all of it, as Java does when it makes an array, so that a page that
 * two have at once shows.
 *
 * <pre>{@code
 * | id | checksum | one byte of the id, over and over ...    | checksum' |
 * 0    8          16                                          last 8 bytes
 * }</pre>
 */
final class Stamp {
    private static final MemorySegment ALL = Zeroing.ADDRESS_SPACE;
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final long WORD_BYTES = Long.BYTES;
    private static final long OS_PAGE_BYTES = 4096;

    private Stamp() {}

    /** Writes a new object. */
    static void write(ObjectKind kind, long address, long id) {
        ALL.asSlice(address, kind.objectBytes()).fill((byte) id);
        ALL.set(WORD, address, id);
        ALL.set(WORD, address + WORD_BYTES, checksum(id));
        ALL.set(WORD, address + kind.objectBytes() - WORD_BYTES, ~checksum(id));
    }

    /** Checks both ends of an object and its middle. */
    static void check(ObjectKind kind, long address, long id) {
        require(address, 0, id);
        require(address, WORD_BYTES, checksum(id));
        require(address, kind.objectBytes() / 2, filling(id));
        require(address, kind.objectBytes() - WORD_BYTES, ~checksum(id));
    }

    /** Copies an object, and checks a word of each OS page of the copy. */
    static void copy(ObjectKind kind, long from, long to, long id) {
        MemorySegment.copy(ALL, from, ALL, to, kind.objectBytes());
        check(kind, to, id);
        for (long at = OS_PAGE_BYTES; at < kind.payloadBytes(); at += OS_PAGE_BYTES) {
            require(to, at, filling(id));
        }
    }

    private static void require(long address, long offset, long expected) {
        long found = ALL.get(WORD, address + offset);
        if (found != expected) {
            throw new AssertionError(
                    ("an object keeps what was written: address=0x%x, offset=%d, written=%x,"
                                    + " found=%x")
                            .formatted(address, offset, expected, found));
        }
    }

    private static long filling(long id) {
        return (id & 0xff) * 0x0101010101010101L;
    }

    /** A bijection, so that different objects differ. */
    private static long checksum(long id) {
        long mixed = (id ^ id >>> 32) * 0x9e3779b97f4a7c15L;
        return mixed ^ mixed >>> 29;
    }
}
