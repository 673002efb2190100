package io.polder.lab.experiments.fragmentation;

import java.util.BitSet;

/**
 * Which part of a range is used, and where its chunks begin: one bit each for every unit of the
 * smallest chunk. Answers whether an area is free without a look at the chunks in it.
 *
 * <pre>{@code
 *   chunks   | S     | X | X | M                  ...
 *   begins     1   0   1   1   1   0   0   0   0
 *   used       0   0   1   0   1   1   1   1   1
 * }</pre>
 */
final class OccupancyMap {
    private final BitSet begins = new BitSet();
    private final BitSet used = new BitSet();

    /** Notes that a chunk begins where this one does, and whether it is used. */
    void put(SizedChunk chunk) {
        begins.set(unit(chunk.start()));
        setUsed(chunk);
    }

    /** Notes that no chunk begins where this one did. */
    void remove(SizedChunk chunk) {
        begins.clear(unit(chunk.start()));
    }

    /** Notes whether a chunk is used. */
    void setUsed(SizedChunk chunk) {
        used.set(unit(chunk.start()), unit(chunk.end()), chunk.isUsed());
    }

    boolean beginsAt(long address) {
        return begins.get(unit(address));
    }

    /** Whether no chunk that reaches into {@code [from, to)} is used. */
    boolean isFree(long from, long to) {
        int next = used.nextSetBit(unit(from));
        return next < 0 || next >= unit(to);
    }

    /** Whether an area below the top is free, and no chunk reaches across one of its borders. */
    boolean isMergeable(long start, long end, long top) {
        return end <= top && isFree(start, end) && beginsAt(start) && (end == top || beginsAt(end));
    }

    /** How many chunks there are. */
    int count() {
        return begins.cardinality();
    }

    private static int unit(long address) {
        return Math.toIntExact(address / ChunkKind.SPECIALIZED.bytes(0));
    }
}
