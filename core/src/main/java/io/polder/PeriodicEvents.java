package io.polder;

import io.polder.heap.HeapStatistics;
import io.polder.heap.space.HeapSpace;

import jdk.jfr.AnnotationElement;
import jdk.jfr.Description;
import jdk.jfr.FlightRecorder;
import jdk.jfr.FlightRecorderListener;
import jdk.jfr.Timespan;

import java.util.List;

/**
 * Statistics of all open pools, their blocks and heaps, whenever a recording asks for them. To be
 * used only where there is a Flight Recorder.
 *
 * <p>As long as nobody records, there is a listener, and Flight Recorder is not even started. It
 * asks with locks of its own held: so no code of the program is run here.
 */
final class PeriodicEvents implements FlightRecorderListener {
    private static boolean begun;

    private PeriodicEvents() {}

    /** Makes sure, once, that recordings get statistics. */
    static synchronized void begin() {
        if (!begun) {
            FlightRecorder.addListener(new PeriodicEvents());
            begun = true; // if this is cut short, the next pool that is opened does it
        }
    }

    @Override
    public void recorderInitialized(FlightRecorder recorder) {
        ofPools().begin(pool -> List.of(PoolFigures.of(pool)));
        ofBlocks().begin(pool -> pool.blocks.statistics().sizes());
        ofHeaps().begin(pool -> pool.heaps.list().stream().map(HeapSpace::stats).toList());
    }

    private static StatisticsEvent<PoolStatistics> ofPools() {
        return new StatisticsEvent<PoolStatistics>(
                        "Pool Statistics",
                        "What a pool of native memory holds; one event for each pool")
                .bytes("usedBytes", "Used", PoolStatistics::usedBytes)
                .bytes("committedBytes", "Committed", PoolStatistics::committedBytes)
                .bytes("reservedBytes", "Reserved", PoolStatistics::reservedBytes)
                .bytes(
                        "freeCommittedBytes",
                        "Free and Committed",
                        stats -> stats.committedBytes() - stats.usedBytes())
                .limit("committedMaxBytes", "Committed Limit", PoolStatistics::committedMaxBytes)
                .limit("reservedMaxBytes", "Reserved Limit", PoolStatistics::reservedMaxBytes)
                .few("usedChunks", "Chunks in Use", PoolStatistics::usedChunks)
                .bytes("takenPageBytes", "Pages Taken", stats -> stats.pages().takenBytes())
                .many(
                        "assembledOnAllocation",
                        "Pages Assembled on Allocation",
                        stats -> stats.pages().assembledOnAllocation())
                .few("waiting", "Threads in Line for Pages", stats -> stats.pages().waiting())
                .few("threads", "Threads with Slabs", stats -> stats.arenas().threads())
                .bytes(
                        "deferredRetainedBytes",
                        "Retained by Deferred Arenas",
                        stats -> stats.arenas().deferredRetainedBytes())
                .bytes(
                        "committedTotalBytes",
                        "Committed so Far",
                        PoolStatistics::committedTotalBytes)
                .bytes(
                        "uncommittedTotalBytes",
                        "Uncommitted so Far",
                        PoolStatistics::uncommittedTotalBytes)
                .many("usedBlocks", "Blocks in Use", stats -> stats.blocks().usedCount())
                .bytes("usedBlockBytes", "In Use by Blocks", stats -> stats.blocks().usedBytes())
                .bytes(
                        "committedBlockBytes",
                        "Committed for Blocks",
                        stats -> stats.blocks().committedBytes())
                .many("leaked", "Leaks Found", stats -> stats.leaks().leaked())
                .bytes("leakedBytes", "Leaked", stats -> stats.leaks().leakedBytes());
    }

    private static StatisticsEvent<PoolStatistics.BlockSize> ofBlocks() {
        return new StatisticsEvent<PoolStatistics.BlockSize>(
                        "Block Statistics",
                        "The blocks of one size that a pool has; one event for each size that has"
                                + " memory")
                .bytes("blockBytes", "Block Size", PoolStatistics.BlockSize::blockBytes)
                .many("usedCount", "Allocated", PoolStatistics.BlockSize::usedCount)
                .many("freeCount", "Free", PoolStatistics.BlockSize::freeCount)
                .bytes("committedBytes", "Committed", PoolStatistics.BlockSize::committedBytes);
    }

    private static StatisticsEvent<HeapStatistics> ofHeaps() {
        return new StatisticsEvent<HeapStatistics>(
                        "Heap Statistics", "What a relocating heap holds; one event for each heap")
                .add(
                        int.class,
                        "heap",
                        "Heap",
                        HeapStatistics::number,
                        new AnnotationElement(
                                Description.class, "The first heap that the pool opened is 1"))
                .many("liveObjects", "Live Objects", HeapStatistics::liveObjects)
                .bytes("liveBytes", "Live", HeapStatistics::liveBytes)
                .add(
                        long.class,
                        "filledBytes",
                        "Filled",
                        HeapStatistics::filledBytes,
                        StatisticsEvent.bytes(),
                        new AnnotationElement(
                                Description.class,
                                "What objects take that live, or are dead and not compacted away"
                                        + " yet"))
                .bytes("regionBytes", "Regions", HeapStatistics::regionBytes)
                .bytes("tableBytes", "Handle Table", HeapStatistics::tableBytes)
                .limit("maxBytes", "Limit", HeapStatistics::maxBytes)
                .many("cycles", "Evacuation Cycles", HeapStatistics::cycles)
                .bytes("evacuatedBytes", "Evacuated", HeapStatistics::evacuatedBytes)
                .many(
                        "outOfMemoryCycles",
                        "Cycles Out of Memory",
                        HeapStatistics::outOfMemoryCycles)
                .bytes("givenBackBytes", "Given Back", HeapStatistics::givenBackBytes)
                .add(
                        long.class,
                        "longestWait",
                        "Longest Wait for a Copy",
                        HeapStatistics::longestWaitNanos,
                        new AnnotationElement(Timespan.class, Timespan.NANOSECONDS));
    }
}
