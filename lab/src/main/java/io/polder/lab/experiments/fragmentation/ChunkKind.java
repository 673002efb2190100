package io.polder.lab.experiments.fragmentation;

/**
 * The sizes of chunk in the class space of JDK 8 to 15, from the smallest to the largest.
 */
enum ChunkKind {
    /** For owners of a single class that is known to stay alone, and for gaps. */
    SPECIALIZED(1 << 10, 'X'),
    /** What an owner begins with. */
    SMALL(2 << 10, 'S'),
    /** What an owner continues with. */
    MEDIUM(32 << 10, 'M'),
    /** As large as it must be, in units of the smallest kind. */
    HUMONGOUS(0, 'H');

    private final long bytes;
    private final char letter;

    ChunkKind(long bytes, char letter) {
        this.bytes = bytes;
        this.letter = letter;
    }

    /** How large a chunk of this kind is that has to hold {@code needed} bytes. */
    long bytes(long needed) {
        return this == HUMONGOUS ? roundUp(needed, SPECIALIZED.bytes) : bytes;
    }

    /** What the address of a chunk of this kind is a multiple of, where chunks are aligned. */
    long alignment() {
        return this == HUMONGOUS ? SPECIALIZED.bytes : bytes;
    }

    /** Stands for a chunk of this kind on a map. */
    char letter(boolean used) {
        return used ? letter : Character.toLowerCase(letter);
    }

    static long roundUp(long bytes, long unit) {
        return (bytes + unit - 1) / unit * unit;
    }
}
