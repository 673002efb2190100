package io.polder.leak;

import org.jspecify.annotations.Nullable;

import java.lang.ref.Reference;
import java.util.function.LongSupplier;

/**
 * Stands for one tracked arena, page or heap, its owner. The owner alone refers to it, so the two
 * become unreachable together, and the owner itself need not be an object.
 *
 * <p>Used like the owner: by one thread, or by several that agree.
 */
public final class LeakTracker {
    final TrackedReference reference;

    LeakTracker(LeakDetector detector, Kind kind, Trace openedAt) {
        this.reference = new TrackedReference(this, detector, kind, openedAt);
    }

    /** Says how many bytes the owner has now. */
    public void holds(long bytes) {
        try {
            reference.bytes = bytes;
        } finally {
            Reference.reachabilityFence(
                    this); // the collector may not find it before, without bytes
        }
    }

    /**
     * Says how to find out how many bytes the owner has.
     *
     * @param bytes must not refer to the owner; asked if it leaks
     */
    public void holds(LongSupplier bytes) {
        reference.bytesNow = bytes;
    }

    /**
     * The owner's scope is given to somebody, who can hang on it what is closed with it: a mapped
     * file, a library, a cleanup action. So it holds something, however few bytes it has.
     *
     * @param tracker null if the owner is not tracked
     */
    public static void scopeGiven(@Nullable LeakTracker tracker) {
        try {
            if (tracker != null) {
                tracker.reference.scopeGiven = true;
            }
        } finally {
            Reference.reachabilityFence(tracker);
        }
    }

    /**
     * The owner was closed. Doing it again does nothing.
     *
     * @param tracker null if the owner is not tracked
     */
    public static void close(@Nullable LeakTracker tracker) {
        try {
            if (tracker != null) {
                tracker.reference.close();
            }
        } finally {
            Reference.reachabilityFence(tracker); // the collector may not find it before
        }
    }
}
