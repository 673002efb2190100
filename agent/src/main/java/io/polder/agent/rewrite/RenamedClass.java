package io.polder.agent.rewrite;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * A class file whose class, and those nested in it, have another name: in the constant pool, where
 * all names are, the old one is replaced wherever it occurs. Both names are ASCII.
 */
final class RenamedClass {
    private RenamedClass() {}

    /**
     * Renames.
     *
     * @param classFile one that compilers of this JDK made
     * @param from the name of the outermost class, with slashes
     * @param to its new name
     */
    static byte[] rename(byte[] classFile, String from, String to) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(classFile.length);
        out.write(classFile, 0, EntryLayout.POOL_AT);
        int count = EntryLayout.u2(classFile, EntryLayout.COUNT_AT);
        int at = EntryLayout.POOL_AT;
        for (int index = 1; index < count; ) {
            int tag = classFile[at];
            if (tag == EntryLayout.UTF8) {
                int start = at + EntryLayout.CHARACTERS_AT;
                int length = EntryLayout.u2(classFile, at + 1);
                // Byte by byte, so that what is no ASCII stays as it is.
                String name = new String(classFile, start, length, StandardCharsets.ISO_8859_1);
                byte[] renamed = name.replace(from, to).getBytes(StandardCharsets.ISO_8859_1);
                out.write(tag);
                out.write(renamed.length >>> 8);
                out.write(renamed.length);
                out.write(renamed, 0, renamed.length);
                at = start + length;
            } else {
                int bytes = EntryLayout.bytes(tag);
                if (bytes == 0) {
                    throw new IllegalArgumentException("unknown constant: tag=" + tag);
                }
                out.write(classFile, at, bytes);
                at += bytes;
            }
            index += EntryLayout.indexes(tag);
        }
        out.write(classFile, at, classFile.length - at);
        return out.toByteArray();
    }
}
