package io.polder.event;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Threshold;

import org.jspecify.annotations.Nullable;

/** A page that was taken, for JDK Flight Recorder. */
@Name("io.polder.PageAllocation")
@Label("Page Allocation")
@Description("A page was taken; only those that took long, unless the threshold is set lower")
@Category("Polder")
@Threshold("1 ms")
public final class PageAllocationEvent extends Event {
    @Label("Pool")
    @Nullable String pool;

    @Label("Size")
    @DataAmount
    long bytes;

    @Label("Assembled")
    @Description("Whether the thread had to put scattered memory together")
    boolean assembled;

    @Label("Waited in Queue")
    @Description("Whether the thread waited in the queue for memory")
    boolean waited;

    PageAllocationEvent() {}

    /** The page is assembled by the thread that takes it. */
    public void assembled() {
        assembled = true;
    }

    /** The thread waits in the queue. */
    public void waited() {
        waited = true;
    }

    /**
     * Ends and records it.
     *
     * @param poolName whose page it is
     * @param sizeBytes its size
     */
    public void finish(String poolName, long sizeBytes) {
        try {
            end();
            if (shouldCommit()) {
                pool = poolName;
                bytes = sizeBytes;
                EventHold.commit(this);
            }
        } catch (Throwable lost) {
            // An event less
        }
    }
}
