package io.polder;

import io.polder.arena.ArenaFactory;
import io.polder.chunk.ChunkSpace;
import io.polder.chunk.ChunkStatistics;
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
        List<OpenHeaps.Numbered> heaps,
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
    PoolStatistics statistics(@Nullable ArenaFactory arenas, PoolStatistics.Blocks blocks) {
        Moment now = chunks.standingStill(some -> new Moment(some, pages.stats()));
        ChunkStatistics ofChunks = now.chunks();
        PageStatistics ofPages = now.pages();
        MemoryUsage both = ofChunks.usage().plus(ofPages(ofChunks.usage(), ofPages));
        long firstBytes = beginning == null ? 0 : beginning.bytes();
        return new PoolStatistics(
                settings.name(),
                arenas != null,
                choice.provider().name(),
                arenas == null && choice.nativeAccess() ? "slabs are off" : choice.reason(),
                choice.provider().givesBack(),
                settings.slabs().bytes(),
                settings.slabs().count(),
                arenas == null ? 0 : arenas.threadCount(),
                PoolUsage.of(both.plus(ofTheJdk(firstBytes, both))),
                ofChunks.usedCommittedBytes() + ofPages.takenBytes() + firstBytes,
                ofChunks.usedBytes() + ofPages.takenBytes() + firstBytes,
                ofChunks.usedCount(),
                free(ofChunks),
                ofPages,
                arenas == null ? 0 : arenas.deferredGroups(),
                arenas == null ? 0 : arenas.deferredRetainedBytes(),
                ofChunks.splits(),
                ofChunks.merges(),
                ofChunks.enlargements(),
                blocks,
                heaps.stream()
                        .map(each -> new PoolStatistics.Heap(each.number(), each.heap().stats()))
                        .toList(),
                PoolStatistics.Leaks.of(leaks));
    }

    private static List<PoolStatistics.FreeChunks> free(ChunkStatistics chunks) {
        return chunks.free().stream()
                .map(
                        level ->
                                new PoolStatistics.FreeChunks(
                                        level.chunkBytes(), level.count(), level.committedBytes()))
                .toList();
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
