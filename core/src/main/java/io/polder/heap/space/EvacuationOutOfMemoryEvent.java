package io.polder.heap.space;

import io.polder.event.EventHold;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

import org.jspecify.annotations.Nullable;

/** A cycle in which there was no room for copies, for JDK Flight Recorder. */
@Name("io.polder.EvacuationOutOfMemory")
@Label("Evacuation Out Of Memory")
@Description("There was no room to copy objects of a relocating heap to; they stay where they are")
@Category("Polder")
@StackTrace(false)
final class EvacuationOutOfMemoryEvent extends Event {
    @Label("Pool")
    @Nullable String pool;

    @Label("Heap")
    @Description("The first heap that the pool opened is 1")
    int heap;

    @Label("Regions")
    int regions;

    @Label("Copies Without Room")
    long copies;

    static void record(String pool, int heap, int regions, long copies) {
        EvacuationOutOfMemoryEvent event = new EvacuationOutOfMemoryEvent();
        if (event.shouldCommit()) {
            event.pool = pool;
            event.heap = heap;
            event.regions = regions;
            event.copies = copies;
            EventHold.commit(event);
        }
    }
}
