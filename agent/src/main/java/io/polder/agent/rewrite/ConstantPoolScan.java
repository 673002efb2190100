package io.polder.agent.rewrite;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Whether a class file may open arenas, found out without parsing it: whether its constant pool has
 * the names that it takes. Of a thousand classes hardly one does, and only for those anything else
 * of the agent is loaded.
 *
 * <p>What is no class file, or has entries of a later JVM that are not known here, does not match.
 */
final class ConstantPoolScan {
    private static final byte[] ARENA = ascii("java/lang/foreign/Arena");
    private static final byte[] CONFINED = ascii("ofConfined");
    private static final byte[] SHARED = ascii("ofShared");

    private ConstantPoolScan() {}

    /** Whether a class file has the names of the arena's class and of a method that opens one. */
    static boolean namesArenas(byte[] classFile) {
        if (classFile.length < EntryLayout.POOL_AT) {
            return false;
        }
        int count = EntryLayout.u2(classFile, EntryLayout.COUNT_AT);
        int at = EntryLayout.POOL_AT;
        boolean type = false;
        boolean method = false;
        for (int index = 1; index < count && at + 3 <= classFile.length; index++) {
            int tag = classFile[at];
            if (tag == EntryLayout.UTF8) {
                int length = EntryLayout.u2(classFile, at + 1);
                int start = at + 3;
                type = type || is(ARENA, classFile, start, length);
                method =
                        method
                                || is(CONFINED, classFile, start, length)
                                || is(SHARED, classFile, start, length);
                if (type && method) {
                    return true;
                }
                at = start + length;
            } else {
                int bytes = EntryLayout.bytes(tag);
                if (bytes == 0) {
                    return false;
                }
                at += bytes;
                index += EntryLayout.indexes(tag) - 1;
            }
        }
        return false;
    }

    private static boolean is(byte[] name, byte[] classFile, int start, int length) {
        return length == name.length
                && start + length <= classFile.length
                && Arrays.equals(name, 0, length, classFile, start, start + length);
    }

    private static byte[] ascii(String name) {
        return name.getBytes(StandardCharsets.US_ASCII);
    }
}
