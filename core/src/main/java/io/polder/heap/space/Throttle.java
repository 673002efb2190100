package io.polder.heap.space;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.locks.LockSupport;

/**
 * Keeps a thread that copies within a share of one processor: after a slice of work it pauses. A
 * long pause it does not wait out, since other heaps need the thread: what is left of it, the heap
 * {@linkplain #isResting rests}.
 *
 * <pre>{@code
 *   | work | pause             | work | pause             |      share = work / (work + pause)
 * }</pre>
 *
 * <p>It does not pause while somebody waits for the work to be done: such a thread counts itself in
 * {@link #expediters}, by stores in place under the monitor of this, so that nothing can keep it
 * from taking that back.
 *
 * <p>Used by one thread; {@link #expediters} and {@link #expedite} by others.
 */
final class Throttle {
    /** A slice: short beside what a user notices. */
    private static final long SLICE_NANOS = 1_000_000;

    /** No longer does the thread pause in one go: guessed, for others that wait for it. */
    private static final long PAUSE_MAX_NANOS = 20_000_000;

    /** A heap that has no share to speak of rests so long at most. */
    private static final long REST_MAX_NANOS = 3_600_000_000_000L;

    /** How much is copied between two looks at the clock. */
    private static final long LOOK_BYTES = 32 << 10;

    /** What an object costs beside its bytes, in bytes: guessed. */
    private static final long OBJECT_BYTES = 256;

    private final double share;
    private final EvacuationCounts counts;

    /** How many wait for the work to be done; changed under the monitor of this. */
    volatile int expediters;

    /** The one that pauses; none is kept, since one of the program's keeps what it refers to. */
    private volatile @Nullable Thread pausing;

    private long sliceStart;
    private long worked;
    private long done;

    /** Until when the heap rests; what was so far away is over. */
    private volatile long restsUntil = System.nanoTime();

    /**
     * A throttle.
     *
     * @param share of one processor, more than 0 and at most 1
     */
    Throttle(double share, EvacuationCounts counts) {
        this.share = share;
        this.counts = counts;
    }

    /** The running thread begins to work. */
    void begin() {
        sliceStart = System.nanoTime();
        done = 0;
    }

    /** The running thread copied an object. */
    void did(long bytes) {
        done += bytes + OBJECT_BYTES;
        if (done >= LOOK_BYTES) {
            done = 0;
            worked = System.nanoTime() - sliceStart;
            if (worked >= SLICE_NANOS) {
                counts.workNanos.addAndGet(worked);
                pause();
                sliceStart = System.nanoTime();
            }
        }
    }

    /** The running thread has done all there was. */
    void end() {
        worked = System.nanoTime() - sliceStart;
        counts.workNanos.addAndGet(worked);
    }

    /** Pauses for the last slice of work. */
    void pause() {
        long workedNanos = worked;
        worked = 0;
        long pause = (long) Math.min(workedNanos * (1 / share - 1), REST_MAX_NANOS);
        long now = System.nanoTime();
        if (pause > PAUSE_MAX_NANOS && !isHurried()) { // what others wait for is not of the share
            long from = Math.max(0, restsUntil - now);
            restsUntil = now + Math.min(from + pause - PAUSE_MAX_NANOS, REST_MAX_NANOS);
            pause = PAUSE_MAX_NANOS;
        }
        long end = now + pause;
        pausing = Thread.currentThread(); // first: or who waits may not find it
        while (pause > 0 && !isHurried() && !Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(this, pause);
            pause = end - System.nanoTime();
        }
        pausing = null;
    }

    /** Whether the heap has had more than its share, and nobody waits. */
    boolean isResting() {
        return restsUntil - System.nanoTime() > 0 && !isHurried();
    }

    /** Whether to leave the work to others, or for later. */
    boolean isLeft() {
        return isHurried() || isResting();
    }

    /** Whether somebody waits for the work to be done. */
    boolean isHurried() {
        return expediters > 0;
    }

    /** Ends the pause of the worker, which finds that somebody waits. */
    void expedite() {
        LockSupport.unpark(pausing);
    }
}
