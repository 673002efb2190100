package io.polder.lab.experiments.fragmentation;

import io.polder.tools.html.MemoryMap.Span;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * Hands out chunks of a range of addresses by some policy, and takes them back. A model: there is
 * no memory behind the addresses. The headers of chunks lie elsewhere and cost nothing here.
 */
sealed interface ChunkSpace permits SizeLockedSpace, SplitMergeSpace {
    /**
     * Takes a chunk.
     *
     * @param needed bytes that it has to hold; counts for humongous chunks only
     * @return null if none can be had; nothing that anybody could notice has changed then
     */
    @Nullable SizedChunk take(ChunkKind kind, long needed);

    /** Gives a chunk back. */
    void give(SizedChunk chunk);

    /** The range that is cut. */
    ChunkRange range();

    /** The chunks that there are, as text. */
    default String map() {
        return range().map();
    }

    /** The chunks that there are, and the part that was never cut. */
    default List<Span> layout() {
        return range().layout();
    }

    /**
     * Checks the invariants.
     *
     * @throws AssertionError if one is broken
     */
    void verify();
}
