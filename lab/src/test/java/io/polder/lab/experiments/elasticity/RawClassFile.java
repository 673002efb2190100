package io.polder.lab.experiments.elasticity;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/**
 * Lengths of the attributes of a class file, read without the JDK's parser: from the class, its
 * fields, its methods and their code, summed by name (JVMS 4).
 */
final class RawClassFile {
    private static final int HEADER_BYTES = 8;

    private final Map<String, Integer> lengths = new HashMap<>();
    private String[] utf8 = new String[0];

    private RawClassFile() {}

    static Map<String, Integer> attributeBytes(byte[] bytes) throws IOException {
        RawClassFile file = new RawClassFile();
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
            in.skipNBytes(HEADER_BYTES);
            file.constantPool(in);
            // Flags, this class, superclass.
            in.skipNBytes(6);
            in.skipNBytes(2L * in.readUnsignedShort());
            file.members(in);
            file.members(in);
            file.attributes(in);
        }
        return file.lengths;
    }

    private void constantPool(DataInputStream in) throws IOException {
        utf8 = new String[in.readUnsignedShort()];
        for (int i = 1; i < utf8.length; i++) {
            int tag = in.readUnsignedByte();
            switch (tag) {
                case 1 -> utf8[i] = in.readUTF();
                case 3, 4, 9, 10, 11, 12, 17, 18 -> in.skipNBytes(4);
                case 5, 6 -> {
                    in.skipNBytes(8);
                    i++;
                }
                case 7, 8, 16, 19, 20 -> in.skipNBytes(2);
                case 15 -> in.skipNBytes(3);
                default -> throw new IOException("no such tag: tag=" + tag);
            }
        }
    }

    private void members(DataInputStream in) throws IOException {
        int members = in.readUnsignedShort();
        for (int i = 0; i < members; i++) {
            in.skipNBytes(6);
            attributes(in);
        }
    }

    private void attributes(DataInputStream in) throws IOException {
        int attributes = in.readUnsignedShort();
        for (int i = 0; i < attributes; i++) {
            String name = utf8[in.readUnsignedShort()];
            int length = in.readInt();
            lengths.merge(name, length, Integer::sum);
            if (name.equals("Code")) {
                in.skipNBytes(4);
                in.skipNBytes(in.readInt());
                in.skipNBytes(8L * in.readUnsignedShort());
                attributes(in);
            } else {
                in.skipNBytes(length);
            }
        }
    }
}
