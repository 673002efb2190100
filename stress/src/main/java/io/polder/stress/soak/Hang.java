package io.polder.stress.soak;

import java.util.Map;

/** What threads do that do not end. */
final class Hang {
    private Hang() {}

    /** The stacks of all platform threads. */
    static String dump() {
        StringBuilder text = new StringBuilder();
        for (Map.Entry<Thread, StackTraceElement[]> each : Thread.getAllStackTraces().entrySet()) {
            text.append('\n').append(each.getKey());
            for (StackTraceElement frame : each.getValue()) {
                text.append("\n    at ").append(frame);
            }
        }
        return text.toString();
    }
}
