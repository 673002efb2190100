package io.polder.block;

import io.polder.chunk.ChunkSpace;
import io.polder.memory.MemoryBudget;
import io.polder.page.space.PageSpace;

/**
 * What blocks give back where a limit is in the way of anybody: spans that no thread has, and large
 * blocks that are kept. What owners have that is empty they keep: their monitors may be held by who
 * asks.
 *
 * <p>Chunks and pages are asked once more then, whatever thread gave back: a tick may have
 * been first, after they were asked.
 *
 * @param spans the spans that no thread has
 * @param large the large blocks
 * @param chunks where spans go
 * @param pages where large blocks go
 */
record EmptyMemory(EmptySpans spans, LargeBlocks large, ChunkSpace chunks, PageSpace pages)
        implements MemoryBudget.Shrinker {
    @Override
    public long uncommitFree(long wantedBytes) {
        long done = spans.uncommit(wantedBytes);
        if (done < wantedBytes) {
            int _ = large.drain(wantedBytes - done);
            done += pages.uncommitFree(wantedBytes - done);
        }
        return done < wantedBytes ? done + chunks.uncommitFree(wantedBytes - done) : done;
    }

    @Override
    public long releaseFree(long wantedBytes) {
        int _ = spans.drain();
        int _ = large.drain(Long.MAX_VALUE);
        long done = chunks.releaseFree(wantedBytes);
        return done < wantedBytes ? done + pages.releaseFree(wantedBytes - done) : done;
    }
}
