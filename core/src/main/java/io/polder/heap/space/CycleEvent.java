package io.polder.heap.space;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

import org.jspecify.annotations.Nullable;

/** A cycle of evacuation, for JDK Flight Recorder. */
@Name("io.polder.EvacuationCycle")
@Label("Evacuation Cycle")
@Description("Objects of a relocating heap were copied so that sparse regions could be given back")
@Category("Polder")
@StackTrace(false)
final class CycleEvent extends Event {
    @Label("Pool")
    @Nullable String pool;

    @Label("Heap")
    @Description("The first heap that the pool opened is 1")
    int heap;

    @Label("Regions")
    int regions;

    @Label("Copied")
    @DataAmount
    long copiedBytes;

    @Label("Given Back")
    @DataAmount
    long givenBackBytes;

    @Label("Copies Without Room")
    @Description("Where there was no room to copy objects to, they stay where they are")
    long copiesWithoutRoom;

    /** Initialises the class; to be called without a lock. */
    static void load() {
        CycleEvent _ = new CycleEvent();
    }
}
