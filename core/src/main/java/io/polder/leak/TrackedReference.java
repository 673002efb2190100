package io.polder.leak;

import org.jspecify.annotations.Nullable;

import java.lang.invoke.VarHandle;
import java.lang.ref.PhantomReference;
import java.util.function.LongSupplier;

/**
 * The detector's reference to one tracker, with what a {@link LeakRecord} says of its owner.
 *
 * <pre>{@code
 *   tracked --close of the tracker--> closed -----+
 *      |                                          +--> removed from the detector,
 *      +------ garbage collector ---> enqueued ---+    and reported if it was not closed
 * }</pre>
 *
 * <p>Whether it is {@code closed} is final once the collector has cleared it: only its tracker
 * closes it, and stays reachable until it has. So either a leak is reported or its tracker was
 * closed, never both. A close that an error cuts off leaves it closed, and in the detector until
 * the collector enqueues it.
 */
final class TrackedReference extends PhantomReference<LeakTracker> {
    private final LeakDetector detector;
    final Kind kind;
    final Trace openedAt;

    /** Plain: the owner's threads write it, and the collector comes between them and the reader. */
    long bytes;

    /** Asked in place of them, if it is not null. */
    @Nullable LongSupplier bytesNow;

    /** Something may hang on the scope of its owner. Plain, like the bytes. */
    boolean scopeGiven;

    /** Whether its owner was closed; plain as well, to be read once it {@link #isCleared}. */
    boolean closed;

    /**
     * A reference that its detector has still to add.
     *
     * @param tracker stands for the owner; only its identity counts here
     * @param openedAt where it was opened
     */
    TrackedReference(LeakTracker tracker, LeakDetector detector, Kind kind, Trace openedAt) {
        super(tracker, detector.queue);
        this.detector = detector;
        this.kind = kind;
        this.openedAt = openedAt;
    }

    long bytes() {
        LongSupplier now = bytesNow;
        return now == null ? bytes : now.getAsLong();
    }

    /** Its owner was closed. */
    void close() {
        closed = true;
        boolean _ = detector.tracked.remove(this);
        VarHandle.releaseFence(); // who sees it cleared sees it closed
        clear();
    }

    /** Whether its owner was closed, or the collector has found it. */
    boolean isCleared() {
        boolean cleared = refersTo(null);
        VarHandle.acquireFence();
        return cleared;
    }
}
