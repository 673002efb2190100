package io.polder;

import io.polder.arena.ArenaFactory;
import io.polder.arena.SlabSettings;
import io.polder.block.SizeTotals;
import io.polder.chunk.ChunkStatistics;
import io.polder.heap.HeapStatistics;
import io.polder.heap.space.HeapSpace;
import io.polder.leak.LeakDetector;
import io.polder.leak.LeakRecord;
import io.polder.memory.MemoryUsage;
import io.polder.memory.ProviderChoice;
import io.polder.page.PageStatistics;
import io.polder.page.space.PageFigures;

import org.jspecify.annotations.Nullable;

import java.util.List;

/** What can be said about a pool in numbers. Lists cannot be changed. */
record PoolFigures(
        String name,
        String provider,
        String reason,
        boolean givesBack,
        long reservedBytes,
        long reservedMaxBytes,
        long committedBytes,
        long committedMaxBytes,
        long committedTotalBytes,
        long uncommittedTotalBytes,
        long refusals,
        long usedBytes,
        long capacityBytes,
        Arenas arenas,
        int usedChunks,
        List<PageStatistics.SizeClass> freeChunks,
        PageFigures pages,
        Blocks blocks,
        List<HeapStatistics> heaps,
        Leaks leaks)
        implements PoolStatistics {

    /** In place of a limit, as JMX says it. */
    static final long NO_LIMIT = -1;

    /** What chunks and pages have at one moment: so that the sums keep within the limits. */
    private record Moment(ChunkStatistics chunks, PageFigures pages) {}

    static PoolFigures of(PoolMemory pool) {
        ArenaFactory arenas = pool.arenas;
        Moment now = pool.chunks.standingStill(some -> new Moment(some, pool.pages.statistics()));
        ChunkStatistics chunks = now.chunks();
        MemoryUsage ofChunks = chunks.usage();
        PageFigures pages = now.pages();
        BootstrapArenas first = pool.beginning;
        long firstBytes = first == null ? 0 : first.bytes(); // which the pool never committed
        ProviderChoice choice = pool.choice;
        return new PoolFigures(
                pool.name(),
                choice.provider().name(),
                arenas == null && choice.nativeAccess() ? "slabs are off" : choice.reason(),
                choice.provider().givesBack(),
                ofChunks.reservedBytes() + pages.reservedBytes() + firstBytes,
                ofChunks.reservedMaxBytes(),
                ofChunks.committedBytes() + pages.committedBytes() + firstBytes,
                ofChunks.committedMaxBytes(),
                ofChunks.committedTotalBytes() + pages.committedTotalBytes(),
                ofChunks.uncommittedTotalBytes() + pages.uncommittedTotalBytes(),
                ofChunks.refusals() + pool.pages.refusals(),
                chunks.usedCommittedBytes() + pages.takenBytes() + firstBytes,
                chunks.usedBytes() + pages.takenBytes() + firstBytes,
                Arenas.of(pool.settings.slabs(), arenas),
                chunks.usedCount(),
                chunks.free().stream().map(PoolFigures::sizeClass).toList(),
                pages,
                pool.blocks.statistics(),
                pool.heaps.list().stream().<HeapStatistics>map(HeapSpace::stats).toList(),
                Leaks.of(pool.leaks));
    }

    record Arenas(
            boolean pooled,
            long slabBytes,
            int slabsPerThread,
            int threads,
            int deferredGroups,
            long deferredRetainedBytes)
            implements PoolStatistics.Arenas {
        static Arenas of(SlabSettings slabs, @Nullable ArenaFactory arenas) {
            return new Arenas(
                    arenas != null,
                    slabs.bytes(),
                    slabs.count(),
                    arenas == null ? 0 : arenas.threadCount(),
                    arenas == null ? 0 : arenas.deferredGroups(),
                    arenas == null ? 0 : arenas.deferredRetainedBytes());
        }
    }

    private static PageStatistics.SizeClass sizeClass(ChunkStatistics.Free free) {
        return new PageFigures.SizeClass(free.chunkBytes(), free.count(), free.committedBytes());
    }

    record Blocks(
            boolean checked,
            long usedCount,
            long usedBytes,
            long committedBytes,
            long leftAtClose,
            List<PoolStatistics.BlockSize> sizes)
            implements PoolStatistics.Blocks {
        static Blocks of(List<SizeTotals> totals, boolean checked, long leftAtClose) {
            return new Blocks(
                    checked,
                    totals.stream().mapToLong(SizeTotals::usedCount).sum(),
                    totals.stream().mapToLong(each -> each.usedCount() * each.blockBytes()).sum(),
                    totals.stream().mapToLong(SizeTotals::committedBytes).sum(),
                    leftAtClose,
                    totals.stream()
                            .filter(each -> each.blockBytes() != 0)
                            .map(BlockSize::of)
                            .toList());
        }
    }

    record BlockSize(long blockBytes, long usedCount, long freeCount, long committedBytes)
            implements PoolStatistics.BlockSize {
        static PoolStatistics.BlockSize of(SizeTotals of) {
            return new BlockSize(
                    of.blockBytes(), of.usedCount(), of.freeCount(), of.committedBytes());
        }
    }

    record Leaks(
            LeakDetection detection,
            int arenasOneIn,
            int watched,
            long leaked,
            long leakedBytes,
            List<PoolStatistics.Leak> sites)
            implements PoolStatistics.Leaks {
        static Leaks of(LeakDetector found) {
            LeakDetection detection = LeakDetection.of(found);
            found.countCleared();
            return new Leaks(
                    detection,
                    detection == LeakDetection.OFF ? 0 : found.oneIn(),
                    found.tracked(),
                    found.leaked(),
                    found.leakedBytes(),
                    found.sites().stream().map(Leak::of).toList());
        }
    }

    record Leak(String kind, long count, long bytes, String thread, List<String> openedAt)
            implements PoolStatistics.Leak {
        static PoolStatistics.Leak of(LeakRecord one) {
            return new Leak(
                    one.kind().toString(), one.count(), one.bytes(), one.thread(), one.openedAt());
        }
    }
}
