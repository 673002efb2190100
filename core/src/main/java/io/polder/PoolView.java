package io.polder;

import io.polder.arena.ArenaFactory;
import io.polder.chunk.ChunkSpace;
import io.polder.chunk.ChunkStatistics;
import io.polder.heap.space.HeapSpace;
import io.polder.leak.LeakWatch;
import io.polder.memory.MemoryUsage;
import io.polder.memory.ProviderChoice;
import io.polder.page.PageStatistics;
import io.polder.page.space.PageSpace;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * What can be said about a pool in numbers.
 *
 * @param choice where its memory comes from
 * @param settings how it works
 * @param chunks its chunks
 * @param pages its pages
 * @param heaps those that are open
 * @param leaks finds its leaks
 * @param beginning counts arenas that were opened before there was a pool; null if none were
 */
record PoolView(
        ProviderChoice choice,
        PoolSettings settings,
        ChunkSpace chunks,
        PageSpace pages,
        List<HeapSpace> heaps,
        LeakWatch leaks,
        @Nullable BootstrapArenas beginning) {

    /** What chunks and pages have at one moment: so that the sums keep within the limits. */
    private record Moment(ChunkStatistics chunks, PageStatistics pages) {}

    /**
     * Its statistics.
     *
     * @param arenas what its arenas are made on; null if they are the JDK's
     * @param blocks what is said of its blocks
     */
    PoolStatistics statistics(@Nullable ArenaFactory arenas, PoolFigures.Blocks blocks) {
        Moment now = chunks.standingStill(some -> new Moment(some, pages.stats()));
        ChunkStatistics ofChunks = now.chunks();
        PageStatistics ofPages = now.pages();
        MemoryUsage both = ofChunks.usage().plus(ofPages(ofChunks.usage(), ofPages));
        long firstBytes = beginning == null ? 0 : beginning.bytes();
        MemoryUsage all = both.plus(ofTheJdk(firstBytes, both));
        return new PoolFigures(
                settings.name(),
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
                blocks,
                heaps.stream().map(HeapSpace::stats).toList(),
                PoolFigures.Leaks.of(leaks));
    }

    private PoolFigures.Arenas arenas(@Nullable ArenaFactory arenas) {
        return new PoolFigures.Arenas(
                arenas != null,
                settings.slabs().bytes(),
                settings.slabs().count(),
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
