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

/** The blocks of one size that a pool has, now and then, for JDK Flight Recorder. */
@Name("io.polder.BlockStatistics")
@Label("Block Statistics")
@Description("The blocks of one size that a pool has; one event for each size that has memory")
@Category("Polder")
@Period("10 s")
@StackTrace(false)
final class BlockStatisticsEvent extends Event {
    @Label("Pool")
    @Nullable String pool;

    @Label("Block Size")
    @DataAmount
    long blockBytes;

    @Label("Allocated")
    long usedCount;

    @Label("Free")
    long freeCount;

    @Label("Committed")
    @DataAmount
    long committedBytes;

    private BlockStatisticsEvent() {}

    static void record(String pool, PoolStatistics.BlockSize size) {
        BlockStatisticsEvent event = new BlockStatisticsEvent();
        event.pool = pool;
        event.blockBytes = size.blockBytes();
        event.usedCount = size.usedCount();
        event.freeCount = size.freeCount();
        event.committedBytes = size.committedBytes();
        event.commit();
    }
}
