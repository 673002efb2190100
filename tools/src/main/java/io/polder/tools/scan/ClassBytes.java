package io.polder.tools.scan;

import java.util.Set;

/**
 * A class file as bytes, as far as it takes to know whether it has to be parsed: most have not.
 *
 * <pre>{@code
 *   CA FE BA BE | minor | major | count | tag, constant | tag, constant | ... | the class
 *        4          2       2       2       1 + ...
 * }</pre>
 */
final class ClassBytes {
    private static final int MAGIC = 0xCAFEBABE;
    private static final int MAJOR_AT = 6;
    private static final int COUNT_AT = 8;
    private static final int CONSTANTS_AT = 10;

    private static final int UTF8 = 1;
    private static final int LONG = 5;
    private static final int DOUBLE = 6;

    /** Bytes of a constant behind its tag, by tag (JVMS 4.4); -1 where there is no such tag. */
    private static final int[] LENGTHS = {
        -1, -1, -1, 4, 4, 8, 8, 2, 2, 4, 4, 4, 4, -1, -1, 3, 2, 4, 4, 2, 2
    };

    private final byte[] bytes;

    /**
     * Takes bytes as a class file.
     *
     * @throws IllegalArgumentException if they do not begin like one
     */
    ClassBytes(byte[] bytes) {
        this.bytes = bytes;
        if (bytes.length < CONSTANTS_AT || u4(0) != MAGIC) {
            throw new IllegalArgumentException("a class file begins with CAFEBABE");
        }
    }

    /** Whether bytes begin like a class file. */
    static boolean isClassFile(byte[] head) {
        return head.length >= Integer.BYTES
                && (head[0] & 0xff) == 0xCA
                && (head[1] & 0xff) == 0xFE
                && (head[2] & 0xff) == 0xBA
                && (head[3] & 0xff) == 0xBE;
    }

    int majorVersion() {
        return u2(MAJOR_AT);
    }

    /**
     * Whether one of some names is in the constant pool.
     *
     * @param names of ASCII characters
     * @throws IllegalArgumentException if the constant pool is damaged
     */
    boolean mentions(Set<String> names) {
        int count = u2(COUNT_AT);
        int at = CONSTANTS_AT;
        for (int i = 1; i < count; i++) {
            need(at, 1);
            int tag = bytes[at];
            at++;
            if (tag == UTF8) {
                need(at, 2);
                int length = u2(at);
                at += 2;
                need(at, length);
                if (isOneOf(names, at, length)) {
                    return true;
                }
                at += length;
            } else {
                at += lengthOf(tag);
                if (tag == LONG || tag == DOUBLE) {
                    i++;
                }
            }
        }
        need(at, 0);
        return false;
    }

    private boolean isOneOf(Set<String> names, int at, int length) {
        for (String name : names) {
            if (name.length() == length && matches(name, at)) {
                return true;
            }
        }
        return false;
    }

    /** From the end, where names differ. */
    private boolean matches(String name, int at) {
        for (int i = name.length() - 1; i >= 0; i--) {
            if (bytes[at + i] != (byte) name.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    private static int lengthOf(int tag) {
        int length = tag >= 0 && tag < LENGTHS.length ? LENGTHS[tag] : -1;
        if (length < 0) {
            throw new IllegalArgumentException("a constant has a tag that there is: tag=" + tag);
        }
        return length;
    }

    private void need(int at, int length) {
        if (at + length > bytes.length) {
            throw new IllegalArgumentException(
                    "the constant pool ends within the file: bytes=" + bytes.length);
        }
    }

    private int u2(int at) {
        return (bytes[at] & 0xff) << 8 | (bytes[at + 1] & 0xff);
    }

    private int u4(int at) {
        return u2(at) << 16 | u2(at + 2);
    }
}
