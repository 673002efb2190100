package io.polder.arena;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.nio.charset.Charset;

/**
 * Which calls of an arena write to all that they allocate before anybody can read it, so that they
 * need no zeros: {@code allocateFrom} of strings and arrays. What is short is not worth the
 * question.
 *
 * <p>The JDK's methods do it: each allocates as much as it then copies, with the end of a string,
 * and returns the segment only after that. Where the copy throws, nobody has the segment, and the
 * memory stays with the arena until it is closed.
 *
 * <p>As an object it is what the JDK's methods allocate from in place of an arena of all threads.
 *
 * <p>No code of a program runs between the question and the allocation that is meant: strings are
 * encoded by charsets of the JDK, as all standard ones are. It may run within the allocation, to
 * make room; what it allocates then is cleared.
 */
record Overwriting(SharedAllocation arena) implements SegmentAllocator {
    /** So many bytes, or elements, at least. Guessed: next to clearing less, nothing is free. */
    static final int LEAST = 1 << 10;

    /**
     * So many bytes, or elements, take a chunk even if the slab has room: to clear as much at the
     * close takes longer. Measured.
     */
    static final int BEYOND_SLAB = 8000;

    @Override
    public MemorySegment allocate(long byteSize, long byteAlignment) {
        return arena.allocate(
                byteSize, Math.max(byteAlignment, ConfinedArena.MALLOC_ALIGNMENT), true);
    }

    /** Whether to ask for a string; not where the code of the charset may be a program's. */
    static boolean isWorth(String text, Charset charset) {
        return text.length() >= LEAST && charset.getClass().getModule() == Object.class.getModule();
    }
}
