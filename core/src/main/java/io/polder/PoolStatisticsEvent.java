package io.polder;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Period;
import jdk.jfr.StackTrace;

import org.jspecify.annotations.Nullable;

/** What one pool holds, now and then, for JDK Flight Recorder. */
@Name("io.polder.PoolStatistics")
@Label("Pool Statistics")
@Description("What a pool of native memory holds; one event for each pool")
@Category("Polder")
@Period("10 s")
@StackTrace(false)
final class PoolStatisticsEvent extends Event {
    @Label("Pool")
    @Nullable String pool;

    @Label("Used")
    @DataAmount
    long usedBytes;

    @Label("Committed")
    @DataAmount
    long committedBytes;

    @Label("Reserved")
    @DataAmount
    long reservedBytes;

    @Label("Free and Committed")
    @DataAmount
    long freeCommittedBytes;

    @Label("Committed Limit")
    @Description("-1 if there is none")
    @DataAmount
    long committedMaxBytes;

    @Label("Reserved Limit")
    @Description("-1 if there is none")
    @DataAmount
    long reservedMaxBytes;

    @Label("Chunks in Use")
    int usedChunks;

    @Label("Pages Taken")
    @DataAmount
    long takenPageBytes;

    @Label("Pages Assembled on Allocation")
    long assembledOnAllocation;

    @Label("Threads in Line for Pages")
    int waiting;

    @Label("Threads with Slabs")
    int threads;

    @Label("Retained by Deferred Arenas")
    @DataAmount
    long deferredRetainedBytes;

    @Label("Committed so Far")
    @DataAmount
    long committedTotalBytes;

    @Label("Uncommitted so Far")
    @DataAmount
    long uncommittedTotalBytes;

    @Label("Blocks in Use")
    long usedBlocks;

    @Label("In Use by Blocks")
    @DataAmount
    long usedBlockBytes;

    @Label("Committed for Blocks")
    @DataAmount
    long committedBlockBytes;

    @Label("Leaks Found")
    long leaked;

    @Label("Leaked")
    @DataAmount
    long leakedBytes;

    private PoolStatisticsEvent() {}

    static void record(String pool, PoolStatistics stats) {
        PoolStatisticsEvent event = new PoolStatisticsEvent();
        event.pool = pool;
        event.usedBytes = stats.usedBytes();
        event.committedBytes = stats.committedBytes();
        event.reservedBytes = stats.reservedBytes();
        event.freeCommittedBytes = stats.committedBytes() - stats.usedBytes();
        event.committedMaxBytes = stats.committedMaxBytes();
        event.reservedMaxBytes = stats.reservedMaxBytes();
        event.usedChunks = stats.chunks().usedCount();
        event.takenPageBytes = stats.pages().takenBytes();
        event.assembledOnAllocation = stats.pages().assembledOnAllocation();
        event.waiting = stats.pages().waiting();
        event.threads = stats.arenas().threads();
        event.deferredRetainedBytes = stats.arenas().deferredRetainedBytes();
        event.committedTotalBytes = stats.committedTotalBytes();
        event.uncommittedTotalBytes = stats.uncommittedTotalBytes();
        event.usedBlocks = stats.blocks().usedCount();
        event.usedBlockBytes = stats.blocks().usedBytes();
        event.committedBlockBytes = stats.blocks().committedBytes();
        event.leaked = stats.leaks().leaked();
        event.leakedBytes = stats.leaks().leakedBytes();
        event.commit();
    }
}
