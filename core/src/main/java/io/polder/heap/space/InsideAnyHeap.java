package io.polder.heap.space;

import java.lang.StackWalker.StackFrame;
import java.util.Set;

/**
 * Whether a thread runs a function that reads or updates an object, or a session, of whatever heap:
 * by its stack, so that nobody pays for it but those who ask.
 */
final class InsideAnyHeap {
    /** Methods of {@link HeapSpace} that call functions of the program inside the access gate. */
    private static final Set<String> LENDERS = Set.of("read", "update", "compute", "session");

    private static final String HEAP = HeapSpace.class.getName();

    private InsideAnyHeap() {}

    static boolean isRunningThread() {
        return StackWalker.getInstance()
                .walk(frames -> frames.anyMatch(InsideAnyHeap::callsFunctionInside));
    }

    private static boolean callsFunctionInside(StackFrame frame) {
        return frame.getClassName().equals(HEAP) && LENDERS.contains(frame.getMethodName());
    }
}
