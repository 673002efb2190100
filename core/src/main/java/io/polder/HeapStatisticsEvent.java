package io.polder;

import io.polder.heap.HeapStatistics;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Period;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

import org.jspecify.annotations.Nullable;

/** What one relocating heap holds, now and then, for JDK Flight Recorder. */
@Name("io.polder.HeapStatistics")
@Label("Heap Statistics")
@Description("What a relocating heap holds; one event for each heap")
@Category("Polder")
@Period("10 s")
@StackTrace(false)
final class HeapStatisticsEvent extends Event {
    @Label("Pool")
    @Nullable String pool;

    @Label("Heap")
    @Description("The first heap that the pool opened is 1")
    int heap;

    @Label("Live Objects")
    long liveObjects;

    @Label("Live")
    @DataAmount
    long liveBytes;

    @Label("Filled")
    @Description("What objects take that live, or are dead and not compacted away yet")
    @DataAmount
    long filledBytes;

    @Label("Regions")
    @DataAmount
    long regionBytes;

    @Label("Handle Table")
    @DataAmount
    long tableBytes;

    @Label("Limit")
    @Description("-1 if there is none")
    @DataAmount
    long maxBytes;

    @Label("Evacuation Cycles")
    long cycles;

    @Label("Evacuated")
    @DataAmount
    long evacuatedBytes;

    @Label("Cycles Out of Memory")
    long outOfMemoryCycles;

    @Label("Given Back")
    @DataAmount
    long givenBackBytes;

    @Label("Longest Wait for a Copy")
    @Timespan
    long longestWait;

    private HeapStatisticsEvent() {}

    static void record(String pool, HeapStatistics stats) {
        HeapStatisticsEvent event = new HeapStatisticsEvent();
        event.pool = pool;
        event.heap = stats.number();
        event.liveObjects = stats.liveObjects();
        event.liveBytes = stats.liveBytes();
        event.filledBytes = stats.filledBytes();
        event.regionBytes = stats.regionBytes();
        event.tableBytes = stats.tableBytes();
        event.maxBytes = stats.maxBytes();
        event.cycles = stats.cycles();
        event.evacuatedBytes = stats.evacuatedBytes();
        event.outOfMemoryCycles = stats.outOfMemoryCycles();
        event.givenBackBytes = stats.givenBackBytes();
        event.longestWait = stats.longestWaitNanos();
        event.commit();
    }
}
