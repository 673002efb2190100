package io.polder.lab.experiments.elasticity;

/**
 * Sizes, in words of 8 bytes, of what a JVM keeps about a class outside of the Java heap.
 *
 * <p>The structures and their headers are those of a 64-bit HotSpot of JDK 25, in round numbers:
 * what counts is that sizes follow from real class files, not that each is exact.
 *
 * <pre>{@code
 * structure                 words
 * ------------------------  -----------------------------------------------------------
 * array of n elements       length of 4 bytes, padding to the element's own alignment, elements
 * constant pool             header, one word for each slot
 * constant pool cache       header; its resolved entries are arrays
 * method                    header, two words more if native
 * constant method           header; code, packed line numbers, exception handlers and what else
 *                           the class file says of a method, in bytes
 * class                     header, one word for each vtable entry, itable word and oop map
 * }</pre>
 *
 * <p>Left out, because they depend on what a program does or are rare: counters and profiles of
 * methods, call sites linked at run time, methods made for defaults of interfaces, annotations of
 * types and parameters.
 */
final class MetadataModel {
    static final int WORD_BYTES = 8;

    /** Elements of these sizes. */
    static final int U1 = 1;

    static final int U2 = 2;
    static final int POINTER = WORD_BYTES;

    /** Resolved entries of a constant pool cache, in bytes. */
    static final int RESOLVED_FIELD = 24;

    static final int RESOLVED_METHOD = 24;
    static final int RESOLVED_CALL_SITE = 16;

    /** What a constant method holds for each, in bytes. */
    static final int EXCEPTION_HANDLER = 8;

    static final int LOCAL_VARIABLE = 12;
    static final int CHECKED_EXCEPTION = 2;
    static final int METHOD_PARAMETER = 4;

    /** Count that stands in front of each such table. */
    static final int TABLE_LENGTH = 2;

    static final int RECORD_COMPONENT_WORDS = 4;
    static final int ANNOTATIONS_WORDS = 4;
    static final int CONSTANT_POOL_CACHE_WORDS = 8;

    private static final int ARRAY_LENGTH_BYTES = 4;
    private static final int CONSTANT_POOL_WORDS = 9;
    private static final int METHOD_WORDS = 11;
    private static final int NATIVE_WORDS = 2;
    private static final int CONSTANT_METHOD_WORDS = 7;
    private static final int CLASS_WORDS = 58;

    /** Numbers below each take one byte, two, three: most numbers in class files are small. */
    private static final int ONE_BYTE = 191;

    private static final int TWO_BYTES = 12_479;
    private static final int THREE_BYTES = 798_911;

    /** A step of that many bytes of code and lines fits one byte of the line number table. */
    private static final int SHORT_CODE_STEP = 32;

    private static final int SHORT_LINE_STEP = 8;

    private MetadataModel() {}

    static int array(int count, int elementBytes) {
        int start = Math.max(ARRAY_LENGTH_BYTES, elementBytes >= WORD_BYTES ? WORD_BYTES : 0);
        return words(start + count * elementBytes);
    }

    static int constantPool(int slots) {
        return CONSTANT_POOL_WORDS + slots;
    }

    static int method(boolean isNative) {
        return METHOD_WORDS + (isNative ? NATIVE_WORDS : 0);
    }

    /** A constant method with so many bytes behind its header. */
    static int constantMethod(int bytes) {
        return CONSTANT_METHOD_WORDS + words(bytes);
    }

    static int classWords(int vtable, int itable, int oopMaps) {
        return CLASS_WORDS + vtable + itable + oopMaps;
    }

    /** Bytes of a non-negative number that is stored as short as it can be. */
    static int packed(int number) {
        if (number < ONE_BYTE) {
            return 1;
        } else if (number < TWO_BYTES) {
            return 2;
        }
        return number < THREE_BYTES ? 3 : 4;
    }

    /** Bytes of one entry of a line number table, as a step from the one before. */
    static int lineStep(int code, int line) {
        boolean isShort =
                code >= 0 && code < SHORT_CODE_STEP && line >= 0 && line < SHORT_LINE_STEP;
        return isShort ? 1 : 1 + packed(zigzag(code)) + packed(zigzag(line));
    }

    /** Small negative numbers become small positive ones. */
    private static int zigzag(int number) {
        return ((number << 1) ^ (number >> (Integer.SIZE - 1))) & Integer.MAX_VALUE;
    }

    private static int words(int bytes) {
        return Math.ceilDiv(bytes, WORD_BYTES);
    }
}
