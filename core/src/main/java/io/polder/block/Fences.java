package io.polder.block;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The fences of all threads that a space asks for, counted, so that one serves all who need one at
 * that time: of a thousand owners, each would take as long as all of them.
 *
 * <p>Thread-safe; if a fence fails, it counts as none.
 */
final class Fences {
    private final Runnable fence;
    private final AtomicLong begun = new AtomicLong();

    /** Of those that have ended the last one, or nearly. */
    private volatile long ended;

    /**
     * None yet.
     *
     * @param fence fences all threads
     */
    Fences(Runnable fence) {
        this.fence = fence;
    }

    /** The first fence that comes after what the running thread wrote to volatile variables. */
    long next() {
        return begun.get() + 1;
    }

    /** Returns when a fence has ended, or a later one. */
    void await(long number) {
        if (ended < number) {
            long mine = begun.incrementAndGet();
            fence.run();
            ended = mine;
        }
    }
}
