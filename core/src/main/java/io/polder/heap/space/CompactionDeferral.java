package io.polder.heap.space;

import io.polder.page.space.PageSpace;

import java.util.concurrent.TimeUnit;

/**
 * After a cycle in the background that gave nothing back, compaction is deferred until something
 * has changed, as the Linux kernel defers the compaction of a zone.
 *
 * <pre>{@code
 *   a cycle was in vain                  deferred until
 *   ---------------------------------    ---------------------------------------------------------
 *   for want of room                     there is a granule more of it
 *   since objects were being changed     a while has passed: twice as long each time
 *   for both reasons                     enough has died since: a part of what objects fill
 * }</pre>
 *
 * <p>Guarded by the lock of the {@link Compactor}.
 */
final class CompactionDeferral {
    /** More garbage than this is worth another try, as it is worth a cycle. */
    private static final int DEAD_PART = 64;

    private static final long LEAST_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long MOST_NANOS = TimeUnit.MINUTES.toNanos(1);

    /** What a heap is like at one moment. */
    record State(long filledBytes, long deadBytes, long roomBytes) {}

    boolean deferred;
    private boolean roomless;
    private State then = new State(0, 0, 0);
    private long since;
    private long waitNanos = LEAST_NANOS;

    /** Whether compaction is still deferred: nothing has changed since it was. */
    boolean lasts(State now, long nanoTime) {
        boolean died =
                now.deadBytes - then.deadBytes
                        >= Math.max(PageSpace.GRANULE_BYTES, now.filledBytes / DEAD_PART);
        boolean changed =
                roomless
                        ? now.roomBytes - then.roomBytes >= PageSpace.GRANULE_BYTES
                        : nanoTime - since >= waitNanos;
        return deferred && !died && !changed;
    }

    /**
     * A cycle has given nothing back, or was not tried for want of room. What others allocated or
     * freed meanwhile does not matter.
     *
     * @param refused whether there was no room for a copy
     */
    void cycledInVain(boolean refused, State now, long nanoTime) {
        waitNanos = deferred ? Math.min(2 * waitNanos, MOST_NANOS) : LEAST_NANOS;
        roomless = refused;
        then = now;
        since = nanoTime;
        deferred = true;
    }

    /** Something was given back. */
    void reset() {
        deferred = false;
    }
}
