package io.polder.heap.space;

import static io.polder.memory.Zeroing.ADDRESS_SPACE;
import static io.polder.memory.Zeroing.WORD;

import java.lang.foreign.MemorySegment;

/**
 * Copies {@value #MIN_BYTES} to {@value #MAX_BYTES} bytes to native memory through local variables,
 * so that nothing is written before all that was read is known to be right: {@link OptimisticReads}
 * say when.
 *
 * <pre>{@code
 *   44 bytes:   0       8       16      24      32  36      44
 *               |-------|-------|-------|-------|---|        |      words in their places, and
 *                                                   |--------|      the last 8 bytes
 * }</pre>
 *
 * <p>A word that does not lie within the bytes is replaced by the last 8 bytes. These are written
 * first, and the words after them, from the back to the front: so each word in its place is as one
 * load has found it. As many words are copied for any number of bytes of a half of the range: that
 * costs less than to ask how many there are.
 *
 * <p><b>What the compiler is told.</b> That the segment is native memory, since it would else ask
 * for each store what kind of segment it is, in a program that has several; and by masks how large
 * numbers are at most, so that it does not ask for each load whether the address is one.
 */
final class SmallCopy {
    /** The least that can be copied. */
    static final int MIN_BYTES = 8;

    /** The most that can be copied. */
    static final int MAX_BYTES = 64;

    private static final int HALF_BYTES = MAX_BYTES / 2;

    private static final Class<? extends MemorySegment> NATIVE = ADDRESS_SPACE.getClass();

    private SmallCopy() {}

    /** Whether bytes can be copied to such a segment. */
    static boolean takes(MemorySegment to) {
        return NATIVE.isInstance(to) && !to.isReadOnly();
    }

    /** Whether so many bytes can be copied. */
    static boolean takes(long bytes) {
        return bytes >= MIN_BYTES && bytes <= MAX_BYTES;
    }

    /**
     * Copies memory to the front of a segment, if no page was given back since.
     *
     * @param from where the bytes are, or were
     * @param to {@linkplain #takes(MemorySegment) such a segment}, which has room for the bytes
     * @param bytes how many, {@linkplain #takes(long) if so many} can be copied
     * @param given how many pages had been given back before it was known where the bytes are
     * @return whether it did; if not, the segment is as it was
     */
    static boolean copy(long from, MemorySegment to, long bytes, HeapPages pages, long given) {
        return bytes > HALF_BYTES
                ? copyLonger(from, to, bytes, pages, given)
                : copyShorter(from, to, bytes, pages, given);
    }

    /**
     * Is larger than what the compiler inlines, and written so that it is: so many accesses in line
     * would take all that it inlines into a caller.
     */
    private static boolean copyLonger(
            long place, MemorySegment to, long bytes, HeapPages pages, long given) {
        MemorySegment target = NATIVE.cast(to);
        long from = HandleWordLayout.bounded(place);
        long last = (bytes - WORD.byteSize()) & (MAX_BYTES - 1);
        long fifth = Math.min(4 * WORD.byteSize(), last);
        long sixth = Math.min(5 * WORD.byteSize(), last);
        long seventh = Math.min(6 * WORD.byteSize(), last);
        long word1 = ADDRESS_SPACE.get(WORD, from);
        long word2 = ADDRESS_SPACE.get(WORD, from + WORD.byteSize());
        long word3 = ADDRESS_SPACE.get(WORD, from + 2 * WORD.byteSize());
        long word4 = ADDRESS_SPACE.get(WORD, from + 3 * WORD.byteSize());
        long word5 = ADDRESS_SPACE.get(WORD, from + fifth);
        long word6 = ADDRESS_SPACE.get(WORD, from + sixth);
        long word7 = ADDRESS_SPACE.get(WORD, from + seventh);
        long word8 = ADDRESS_SPACE.get(WORD, from + last);
        if (!pages.noneGivenSince(given)) {
            return false;
        }
        target.set(WORD, last, word8);
        target.set(WORD, seventh, word7);
        target.set(WORD, sixth, word6);
        target.set(WORD, fifth, word5);
        target.set(WORD, 3 * WORD.byteSize(), word4);
        target.set(WORD, 2 * WORD.byteSize(), word3);
        target.set(WORD, WORD.byteSize(), word2);
        target.set(WORD, 0, word1);
        return true;
    }

    private static boolean copyShorter(
            long place, MemorySegment to, long bytes, HeapPages pages, long given) {
        MemorySegment target = NATIVE.cast(to);
        long from = HandleWordLayout.bounded(place);
        long last = (bytes - WORD.byteSize()) & (MAX_BYTES - 1);
        long second = Math.min(WORD.byteSize(), last);
        long third = Math.min(2 * WORD.byteSize(), last);
        long word1 = ADDRESS_SPACE.get(WORD, from);
        long word2 = ADDRESS_SPACE.get(WORD, from + second);
        long word3 = ADDRESS_SPACE.get(WORD, from + third);
        long word4 = ADDRESS_SPACE.get(WORD, from + last);
        if (!pages.noneGivenSince(given)) {
            return false;
        }
        target.set(WORD, last, word4);
        target.set(WORD, third, word3);
        target.set(WORD, second, word2);
        target.set(WORD, 0, word1);
        return true;
    }
}
