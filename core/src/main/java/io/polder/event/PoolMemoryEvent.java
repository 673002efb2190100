package io.polder.event;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;

import org.jspecify.annotations.Nullable;

/** Memory that passes between a pool and the operating system, for JDK Flight Recorder. */
@Category("Polder")
public abstract sealed class PoolMemoryEvent extends Event permits CommitEvent, UncommitEvent {
    @Label("Pool")
    @Nullable String pool;

    @Label("Part")
    @Description("chunks, for arenas, or pages")
    @Nullable String part;

    @Label("Size")
    @DataAmount
    long bytes;

    PoolMemoryEvent() {}

    /**
     * Ends and records it, if there was anything.
     *
     * @param poolName whose memory it is or was
     * @param partName which part of the pool has or had it
     * @param sizeBytes how much
     */
    public void finish(String poolName, String partName, long sizeBytes) {
        try {
            end();
            if (sizeBytes > 0 && shouldCommit()) {
                pool = poolName;
                part = partName;
                bytes = sizeBytes;
                EventHold.commit(this);
            }
        } catch (Throwable lost) {
            // An event less
        }
    }
}
