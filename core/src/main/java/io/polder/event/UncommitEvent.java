package io.polder.event;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** Memory that a pool has given back to the operating system, for JDK Flight Recorder. */
@Name("io.polder.Uncommit")
@Label("Uncommit")
@Description("A pool gave memory back to the operating system that had been free for a while")
@StackTrace(false)
public final class UncommitEvent extends PoolMemoryEvent {
    UncommitEvent() {}
}
