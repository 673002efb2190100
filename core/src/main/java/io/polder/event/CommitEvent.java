package io.polder.event;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Throttle;

import org.jspecify.annotations.Nullable;

/** Memory that a pool has got from the operating system, for JDK Flight Recorder. */
@Name("io.polder.Commit")
@Label("Commit")
@Description("A pool put memory behind addresses, because what was free did not do")
@Category("Polder")
@Throttle("100/s")
public final class CommitEvent extends Event {
    @Label("Pool")
    @Nullable String pool;

    @Label("Part")
    @Description("chunks, for arenas, or pages")
    @Nullable String part;

    @Label("Size")
    @DataAmount
    long bytes;

    private CommitEvent() {}

    static @Nullable CommitEvent beginIfEnabled() {
        CommitEvent event = new CommitEvent();
        if (!event.isEnabled()) {
            return null;
        }
        event.begin();
        return event;
    }

    /**
     * Ends and records it, if there was anything.
     *
     * @param poolName whose memory it is
     * @param partName which part of the pool has it
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
