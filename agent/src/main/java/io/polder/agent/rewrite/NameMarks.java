package io.polder.agent.rewrite;

import java.util.BitSet;

/**
 * Names without number, in bounded memory: a bit each, which two names may share. What was added is
 * found; what was not may be found as well, and is then not counted.
 *
 * <p>Not thread-safe.
 */
final class NameMarks {
    /** Guessed: 128 KiB, and of a hundred thousand names a twentieth share a bit. */
    private static final int BITS_LOG = 20;

    /** Spreads hash codes of names that differ in their last characters only. */
    private static final int GOLDEN = 0x9E3779B9;

    private final BitSet marks = new BitSet();

    void add(String name) {
        marks.set(bit(name));
    }

    boolean mayContain(String name) {
        return marks.get(bit(name));
    }

    /** How many names, but for those that share a bit. */
    long count() {
        return marks.cardinality();
    }

    private static int bit(String name) {
        return (name.hashCode() * GOLDEN) >>> (Integer.SIZE - BITS_LOG);
    }
}
