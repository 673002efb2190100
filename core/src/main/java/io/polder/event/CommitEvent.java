package io.polder.event;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Throttle;

/** Memory that a pool has got from the operating system, for JDK Flight Recorder. */
@Name("io.polder.Commit")
@Label("Commit")
@Description("A pool put memory behind addresses, because what was free did not do")
@Throttle("100/s")
public final class CommitEvent extends PoolMemoryEvent {
    CommitEvent() {}
}
