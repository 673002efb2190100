package io.polder.lab.experiments.fragmentation;

/** Invariants that the models share. */
final class SpaceChecks {
    private SpaceChecks() {}

    /** The free lists hold exactly the chunks of the range that are not used. */
    static void listsHoldTheFree(ChunkRange range, FreeChunks free) {
        int count = 0;
        for (SizedChunk chunk : range.chunks()) {
            if (chunk.isUsed() == free.contains(chunk)) {
                throw new AssertionError("a chunk is used or in a list: " + chunk);
            }
            if (!chunk.isUsed()) {
                count++;
            }
        }
        if (count != free.count()) {
            throw new AssertionError(
                    "lists hold nothing but free chunks: listed="
                            + free.count()
                            + ", free="
                            + count);
        }
    }

    /** The map knows exactly the chunks of the range; they are aligned to their sizes. */
    static void mapAgrees(ChunkRange range, OccupancyMap occupancy) {
        for (SizedChunk chunk : range.chunks()) {
            if (chunk.start() % chunk.kind().alignment() != 0) {
                throw new AssertionError("a chunk is aligned to its size: " + chunk);
            }
            if (!occupancy.beginsAt(chunk.start())
                    || occupancy.isFree(chunk.start(), chunk.end()) == chunk.isUsed()) {
                throw new AssertionError("the map agrees with the chunk: " + chunk);
            }
        }
        if (occupancy.count() != range.chunks().size()) {
            throw new AssertionError(
                    "the map knows nothing but chunks: noted="
                            + occupancy.count()
                            + ", chunks="
                            + range.chunks().size());
        }
    }

    /** No area that could be merged consists of several chunks. */
    static void allIsMerged(ChunkRange range, OccupancyMap occupancy) {
        for (SizedChunk chunk : range.chunks()) {
            for (ChunkKind kind : SplitMergeSpace.MERGED) {
                if (kind.compareTo(chunk.kind()) > 0
                        && chunk.start() % kind.bytes(0) == 0
                        && occupancy.isMergeable(
                                chunk.start(), chunk.start() + kind.bytes(0), range.top())) {
                    throw new AssertionError("what can be merged is merged: " + chunk);
                }
            }
        }
    }
}
