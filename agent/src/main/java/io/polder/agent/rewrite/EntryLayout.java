package io.polder.agent.rewrite;

/**
 * The constant pool of a class file, as far as it takes to go from entry to entry. JVMS 4.4.
 *
 * <pre>
 *   CAFEBABE | version | count | tag ... | tag ... |
 *   0          4         8       10
 *
 *   tag 1, a name:  | 1 | length | modified UTF-8 |         other tags tell the length
 *                     0   1        3
 * </pre>
 */
final class EntryLayout {
    static final int COUNT_AT = 8;
    static final int POOL_AT = 10;
    static final int UTF8 = 1;

    /** Where the characters of a name begin, from its tag. */
    static final int CHARACTERS_AT = 3;

    private EntryLayout() {}

    /** The length of an entry with its tag, which is no name; 0 for an unknown one. */
    static int bytes(int tag) {
        return switch (tag) {
            case 7, 8, 16, 19, 20 -> 3; // class, string, method type, module, package
            case 15 -> 4; // method handle
            case 3, 4, 9, 10, 11, 12, 17, 18 -> 5; // int, float, members, name and type, dynamic
            case 5, 6 -> 9; // long, double
            default -> 0;
        };
    }

    /** How many indexes an entry takes: long and double take two. */
    static int indexes(int tag) {
        return tag == 5 || tag == 6 ? 2 : 1;
    }

    static int u2(byte[] classFile, int at) {
        return ((classFile[at] & 0xff) << 8) | (classFile[at + 1] & 0xff);
    }
}
