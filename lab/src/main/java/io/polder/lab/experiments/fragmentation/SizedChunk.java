package io.polder.lab.experiments.fragmentation;

/**
 * A piece of a {@link ChunkRange}: where it lies, how large it is, whether it has an owner. All but
 * the last stay as they are.
 */
final class SizedChunk {
    private final long start;
    private final long bytes;
    private final ChunkKind kind;
    private boolean used;

    SizedChunk(long start, long bytes, ChunkKind kind) {
        this.start = start;
        this.bytes = bytes;
        this.kind = kind;
    }

    long start() {
        return start;
    }

    long bytes() {
        return bytes;
    }

    long end() {
        return start + bytes;
    }

    ChunkKind kind() {
        return kind;
    }

    boolean isUsed() {
        return used;
    }

    void setUsed(boolean used) {
        this.used = used;
    }

    char letter() {
        return kind.letter(used);
    }

    @Override
    public String toString() {
        return "%s[%d, %d) %s".formatted(kind, start, end(), used ? "used" : "free");
    }
}
