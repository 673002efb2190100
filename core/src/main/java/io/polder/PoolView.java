package io.polder;

import io.polder.arena.ArenaFactory;
import io.polder.chunk.ChunkStatistics;
import io.polder.heap.space.HeapSpace;
import io.polder.memory.MemoryUsage;
import io.polder.memory.ProviderChoice;
import io.polder.page.PageStatistics;

import org.jspecify.annotations.Nullable;

/**
 * What can be said about a pool in numbers.
 *
 * @param pool which
 */
record PoolView(PoolMemory pool) {
    /** What chunks and pages have at one moment: so that the sums keep within the limits. */
    private record Moment(ChunkStatistics chunks, PageStatistics pages) {}

    /** Its statistics. */
    PoolStatistics statistics() {
        ArenaFactory arenas = pool.arenas();
        Moment now = pool.chunks.standingStill(some -> new Moment(some, pool.pages.stats()));
        ChunkStatistics ofChunks = now.chunks();
        PageStatistics ofPages = now.pages();
        MemoryUsage both = ofChunks.usage().plus(ofPages(ofChunks.usage(), ofPages));
        BootstrapArenas first = pool.beginning;
        long firstBytes = first == null ? 0 : first.bytes();
        MemoryUsage all = both.plus(ofTheJdk(firstBytes, both));
        ProviderChoice choice = pool.choice;
        return new PoolFigures(
                pool.name(),
                choice.provider().name(),
                arenas == null && choice.nativeAccess() ? "slabs are off" : choice.reason(),
                choice.provider().givesBack(),
                all.reservedBytes(),
                all.reservedMaxBytes(),
                all.committedBytes(),
                all.committedMaxBytes(),
                all.committedTotalBytes(),
                all.uncommittedTotalBytes(),
                all.refusals(),
                ofChunks.usedCommittedBytes() + ofPages.takenBytes() + firstBytes,
                ofChunks.usedBytes() + ofPages.takenBytes() + firstBytes,
                arenas(arenas),
                chunks(ofChunks),
                ofPages,
                pool.blocks.statistics(),
                pool.heaps.list().stream().map(HeapSpace::stats).toList(),
                PoolFigures.Leaks.of(pool.leaks));
    }

    private PoolFigures.Arenas arenas(@Nullable ArenaFactory arenas) {
        return new PoolFigures.Arenas(
                arenas != null,
                pool.settings.slabs().bytes(),
                pool.settings.slabs().count(),
                arenas == null ? 0 : arenas.threadCount(),
                arenas == null ? 0 : arenas.deferredGroups(),
                arenas == null ? 0 : arenas.deferredRetainedBytes());
    }

    private static PoolFigures.Chunks chunks(ChunkStatistics chunks) {
        return new PoolFigures.Chunks(
                chunks.usedCount(),
                chunks.free().stream()
                        .<PoolStatistics.FreeChunks>map(
                                level ->
                                        new PoolFigures.FreeChunks(
                                                level.chunkBytes(),
                                                level.count(),
                                                level.committedBytes()))
                        .toList(),
                chunks.splits(),
                chunks.merges(),
                chunks.enlargements());
    }

    private static MemoryUsage ofPages(MemoryUsage limits, PageStatistics pages) {
        return new MemoryUsage(
                limits.committedMaxBytes(),
                limits.reservedMaxBytes(),
                pages.reservedBytes(),
                pages.committedBytes(),
                pages.committedTotalBytes(),
                pages.uncommittedTotalBytes(),
                pages.refusals());
    }

    /** What is not the pool's own: the pool never committed it. */
    private static MemoryUsage ofTheJdk(long bytes, MemoryUsage limits) {
        return new MemoryUsage(
                limits.committedMaxBytes(), limits.reservedMaxBytes(), bytes, bytes, 0, 0, 0);
    }
}
