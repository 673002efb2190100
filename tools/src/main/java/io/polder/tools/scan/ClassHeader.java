package io.polder.tools.scan;

/** The first bytes of a class file: {@code CA FE BA BE}, minor version, major version. */
final class ClassHeader {
    /** How many bytes it takes to know that it is a class file. */
    static final int MAGIC_BYTES = 4;

    private static final int BYTES = 8;

    private ClassHeader() {}

    /** Whether bytes begin like a class file. */
    static boolean isOf(byte[] file) {
        return file.length >= MAGIC_BYTES
                && (file[0] & 0xff) == 0xCA
                && (file[1] & 0xff) == 0xFE
                && (file[2] & 0xff) == 0xBA
                && (file[3] & 0xff) == 0xBE;
    }

    /**
     * The version, which says for which Java it is.
     *
     * @throws IllegalArgumentException if this is no class file
     */
    static int majorVersion(byte[] file) {
        if (!isOf(file)) {
            throw new IllegalArgumentException("a class file begins with CAFEBABE");
        }
        if (file.length < BYTES) {
            throw new IllegalArgumentException(
                    "a class file has its version behind CAFEBABE: bytes=" + file.length);
        }
        return (file[6] & 0xff) << 8 | (file[7] & 0xff);
    }
}
