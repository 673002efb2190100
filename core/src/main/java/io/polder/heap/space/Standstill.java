package io.polder.heap.space;

import io.polder.page.space.PageSpace;

import java.util.concurrent.TimeUnit;

/**
 * A cycle in the background that gave nothing back: none is tried again before something has
 * changed.
 *
 * <pre>{@code
 *   a cycle gave nothing back            until
 *   ---------------------------------    ---------------------------------------------------------
 *   for want of room                     there is a granule more of it
 *   since objects were being changed     a while has passed: twice as long each time
 *   for both reasons                     enough has died since: a part of what objects fill
 * }</pre>
 *
 * <p>Guarded by the lock of the {@link Compactor}.
 */
final class Standstill {
    /** More garbage than this is worth another try, as it is worth a cycle. */
    private static final int DEAD_PART = 64;

    private static final long LEAST_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long MOST_NANOS = TimeUnit.MINUTES.toNanos(1);

    /** What a heap is like at one moment. */
    record State(long filledBytes, long deadBytes, long takenBytes, long roomBytes, long refused) {
        /** Whether a cycle that began with another state has brought anything. */
        boolean isBetterThan(State before) {
            return takenBytes < before.takenBytes || deadBytes < before.deadBytes;
        }
    }

    private boolean stands;
    private boolean roomless;
    private long deadBytes;
    private long roomBytes;
    private long since;
    private long waitNanos = LEAST_NANOS;

    /** Whether nothing has changed since a cycle that gave nothing back. */
    boolean lasts(State now, long nanoTime) {
        boolean died =
                now.deadBytes - deadBytes
                        >= Math.max(PageSpace.GRANULE_BYTES, now.filledBytes / DEAD_PART);
        return stands && !died && lasts(now.roomBytes, nanoTime);
    }

    /** Likewise, as far as it can be told without a look at the regions. */
    boolean lasts(long roomNow, long nanoTime) {
        boolean over =
                roomless
                        ? roomNow - roomBytes >= PageSpace.GRANULE_BYTES
                        : nanoTime - since >= waitNanos;
        return stands && !over;
    }

    boolean stands() {
        return stands;
    }

    /** A cycle has ended. */
    void cycled(State before, State now, long nanoTime) {
        if (now.isBetterThan(before)) {
            over();
            return;
        }
        waitNanos = stands ? Math.min(2 * waitNanos, MOST_NANOS) : LEAST_NANOS;
        roomless = now.refused > before.refused;
        deadBytes = now.deadBytes;
        roomBytes = now.roomBytes;
        since = nanoTime;
        stands = true;
    }

    /** Something was given back. */
    void over() {
        stands = false;
    }
}
