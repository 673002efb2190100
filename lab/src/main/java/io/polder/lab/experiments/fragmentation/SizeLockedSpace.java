package io.polder.lab.experiments.fragmentation;

import org.jspecify.annotations.Nullable;

/**
 * Free lists by size, as in HotSpot's metaspace before 2018: a chunk stays what it was cut as.
 *
 * <p>A request is met from the list of its kind, else from the part of the range that was never
 * cut, else not at all. Chunks are never split, merged or used for another kind, and are aligned to
 * nothing but their smallest size.
 *
 * <p><b>Invariants</b> ({@link #verify}): those of {@link ChunkRange}; the lists hold exactly the
 * chunks that are not used. Not thread-safe.
 */
final class SizeLockedSpace implements ChunkSpace {
    private final ChunkRange range;
    private final FreeChunks free = new FreeChunks();

    SizeLockedSpace(long bytes) {
        range = new ChunkRange(bytes);
    }

    @Override
    public @Nullable SizedChunk take(ChunkKind kind, long needed) {
        long bytes = kind.bytes(needed);
        SizedChunk chunk = free.takeBest(kind, bytes);
        if (chunk == null) {
            if (!range.hasRoom(bytes)) {
                return null;
            }
            chunk = range.append(kind, bytes);
        }
        chunk.setUsed(true);
        return chunk;
    }

    @Override
    public void give(SizedChunk chunk) {
        chunk.setUsed(false);
        free.add(chunk);
    }

    @Override
    public ChunkRange range() {
        return range;
    }

    @Override
    public void verify() {
        range.verify();
        SpaceChecks.listsHoldTheFree(range, free);
    }
}
