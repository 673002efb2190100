package io.polder.event;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

import org.jspecify.annotations.Nullable;

/** An arena, a page or a heap that leaked, for JDK Flight Recorder. */
@Name("io.polder.ArenaLeak")
@Label("Arena Leak")
@Description("What nobody can close any more, or blocks that were not freed")
@Category("Polder")
@StackTrace(false)
final class LeakEvent extends Event {
    @Label("Pool")
    @Nullable String pool;

    @Label("Kind")
    @Nullable String kind;

    @Label("Size")
    @Description("The memory that it does not give back")
    @DataAmount
    long bytes;

    @Label("Opened By")
    @Description("The name of the thread that opened it")
    @Nullable String thread;

    @Label("Opened At")
    @Description("The stack that opened it, one frame per line, innermost first")
    @Nullable String openedAt;

    private LeakEvent() {}

    static void record(String pool, String kind, long bytes, String thread, String openedAt) {
        LeakEvent event = new LeakEvent();
        if (event.shouldCommit()) {
            event.pool = pool;
            event.kind = kind;
            event.bytes = bytes;
            event.thread = thread;
            event.openedAt = openedAt;
            EventHold.commit(event);
        }
    }
}
