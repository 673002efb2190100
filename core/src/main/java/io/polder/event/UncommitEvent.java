package io.polder.event;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

import org.jspecify.annotations.Nullable;

/** Memory that a pool has given back to the operating system, for JDK Flight Recorder. */
@Name("io.polder.Uncommit")
@Label("Uncommit")
@Description("A pool gave memory back to the operating system that had been free for a while")
@Category("Polder")
@StackTrace(false)
public final class UncommitEvent extends Event {
    @Label("Pool")
    @Nullable String pool;

    @Label("Part")
    @Description("chunks, for arenas, or pages")
    @Nullable String part;

    @Label("Size")
    @DataAmount
    long bytes;

    private UncommitEvent() {}

    static @Nullable UncommitEvent beginIfEnabled() {
        UncommitEvent event = new UncommitEvent();
        if (!event.isEnabled()) {
            return null;
        }
        event.begin();
        return event;
    }

    /**
     * Ends and records it, if there was anything.
     *
     * @param poolName whose memory it was
     * @param partName which part of the pool had it
     * @param sizeBytes how much
     */
    public void finish(String poolName, String partName, long sizeBytes) {
        end();
        if (sizeBytes > 0 && shouldCommit()) {
            pool = poolName;
            part = partName;
            bytes = sizeBytes;
            EventHold.commit(this);
        }
    }
}
