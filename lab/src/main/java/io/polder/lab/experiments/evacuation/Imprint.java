package io.polder.lab.experiments.evacuation;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * What is written into objects: all of it follows from a number and a version, so that an object
 * that was lost, torn, mixed up or not updated shows, wherever it was damaged.
 *
 * <pre>{@code
 * | word + 0 | word + 1 | word + 2 | ...      word = mixed(id, version), 8 bytes each
 * ... | up to 7 bytes of the version at the end, where the size is no multiple of 8
 * }</pre>
 */
final class Imprint {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED;

    private Imprint() {}

    /** Writes all of an object. */
    static void write(MemorySegment object, int id, int version) {
        long word = word(id, version);
        long words = object.byteSize() / Long.BYTES;
        for (long i = 0; i < words; i++) {
            object.set(WORD, i * Long.BYTES, word + i);
        }
        for (long at = words * Long.BYTES; at < object.byteSize(); at++) {
            object.set(ValueLayout.JAVA_BYTE, at, (byte) version);
        }
    }

    /** Whether all of an object is as it was written. */
    static boolean isIntact(MemorySegment object, int id, int version) {
        long word = word(id, version);
        long words = object.byteSize() / Long.BYTES;
        long differences = 0;
        for (long i = 0; i < words; i++) {
            differences |= object.get(WORD, i * Long.BYTES) ^ (word + i);
        }
        for (long at = words * Long.BYTES; at < object.byteSize(); at++) {
            differences |= object.get(ValueLayout.JAVA_BYTE, at) ^ (byte) version;
        }
        return differences == 0;
    }

    /** A bijection of both numbers, so that different objects differ. */
    private static long word(int id, int version) {
        long both = (long) id << Integer.SIZE | Integer.toUnsignedLong(version);
        long mixed = (both ^ both >>> 32) * 0x9e3779b97f4a7c15L;
        return mixed ^ mixed >>> 29;
    }
}
