package io.polder;

import io.polder.block.SizeTotals;
import io.polder.heap.HeapStatistics;
import io.polder.leak.LeakDetector;
import io.polder.leak.LeakRecord;
import io.polder.leak.LeakWatch;
import io.polder.page.PageStatistics;

import java.util.ArrayList;
import java.util.List;

/** The figures of one moment. Lists cannot be changed. */
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
        Chunks chunks,
        PageStatistics pages,
        Blocks blocks,
        List<HeapStatistics> heaps,
        Leaks leaks)
        implements PoolStatistics {

    /** In place of a limit, as JMX says it. */
    static final long NO_LIMIT = -1;

    @Override
    public long freeCommittedBytes() {
        return chunks.freeCommittedBytes() + pages.freeCommittedBytes();
    }

    record Arenas(
            boolean pooled,
            long slabBytes,
            int slabsPerThread,
            int threads,
            int deferredGroups,
            long deferredRetainedBytes)
            implements PoolStatistics.Arenas {}

    record Chunks(
            int usedCount,
            List<PoolStatistics.FreeChunks> free,
            long splits,
            long merges,
            long enlargements)
            implements PoolStatistics.Chunks {
        @Override
        public long freeCommittedBytes() {
            return free.stream().mapToLong(PoolStatistics.FreeChunks::committedBytes).sum();
        }
    }

    record FreeChunks(long chunkBytes, int count, long committedBytes)
            implements PoolStatistics.FreeChunks {}

    record Blocks(
            boolean checked,
            long usedCount,
            long usedBytes,
            long committedBytes,
            long emptyBytes,
            long leftAtClose,
            List<PoolStatistics.BlockSize> sizes)
            implements PoolStatistics.Blocks {
        static final Blocks NONE = new Blocks(false, 0, 0, 0, 0, 0, List.of());

        static Blocks of(List<SizeTotals> totals, boolean checked, long leftAtClose) {
            long count = 0;
            long usedBytes = 0;
            long committedBytes = 0;
            long emptyBytes = 0;
            List<PoolStatistics.BlockSize> sizes = new ArrayList<>();
            for (SizeTotals each : totals) {
                committedBytes += each.committedBytes();
                if (each.blockBytes() == 0) {
                    emptyBytes = each.committedBytes();
                    continue;
                }
                count += each.usedCount();
                usedBytes += each.usedCount() * each.blockBytes();
                sizes.add(
                        new BlockSize(
                                each.blockBytes(),
                                each.usedCount(),
                                each.freeCount(),
                                each.committedBytes()));
            }
            return new Blocks(
                    checked,
                    count,
                    usedBytes,
                    committedBytes,
                    emptyBytes,
                    leftAtClose,
                    List.copyOf(sizes));
        }
    }

    record BlockSize(long blockBytes, long usedCount, long freeCount, long committedBytes)
            implements PoolStatistics.BlockSize {}

    record Leaks(
            LeakDetection detection,
            int arenasOneIn,
            int watched,
            long leaked,
            long leakedBytes,
            List<PoolStatistics.Leak> latest,
            List<PoolStatistics.Leak> sites)
            implements PoolStatistics.Leaks {
        static Leaks of(LeakWatch watch) {
            LeakDetection detection = LeakDetection.of(watch);
            LeakDetector found = watch.detector();
            if (found == null) {
                return new Leaks(detection, 0, 0, 0, 0, List.of(), List.of());
            }
            return new Leaks(
                    detection,
                    detection == LeakDetection.OFF ? 0 : found.oneIn(),
                    found.tracked(),
                    found.leaked(),
                    found.leakedBytes(),
                    leaks(found.latest()),
                    leaks(found.sites()));
        }

        private static List<PoolStatistics.Leak> leaks(List<LeakRecord> found) {
            return found.stream()
                    .<PoolStatistics.Leak>map(
                            each ->
                                    new Leak(
                                            each.kind().toString(),
                                            each.count(),
                                            each.bytes(),
                                            each.thread(),
                                            each.openedAt()))
                    .toList();
        }
    }

    record Leak(String kind, long count, long bytes, String thread, List<String> openedAt)
            implements PoolStatistics.Leak {}
}
