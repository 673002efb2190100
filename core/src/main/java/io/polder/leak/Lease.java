package io.polder.leak;

import java.lang.StackWalker.StackFrame;
import java.lang.ref.Reference;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * What stands for something that is watched: its owner alone refers to it, so the two become
 * unreachable together.
 *
 * <p>Used like the owner: by one thread, or by several that agree.
 */
public final class Lease {
    private final Trace trace;

    Lease(Watch watch, Kind kind, List<StackFrame> openedAt) {
        this.trace = new Trace(this, watch, kind, openedAt);
    }

    Trace trace() {
        return trace;
    }

    /** Says how many bytes the owner has now. */
    public void holds(long bytes) {
        try {
            trace.setBytes(bytes);
        } finally {
            Reference.reachabilityFence(this); // so that it is not found before, having nothing
        }
    }

    /**
     * Says how to find out how many bytes the owner has.
     *
     * @param bytes must not refer to the owner; asked if it leaks
     */
    public void holds(LongSupplier bytes) {
        trace.setBytes(bytes);
    }

    /** The owner was closed. Doing it again does nothing. */
    public void close() {
        try {
            trace.end();
        } finally {
            Reference.reachabilityFence(this); // so that it cannot be found unreachable before
        }
    }
}
