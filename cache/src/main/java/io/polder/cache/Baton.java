package io.polder.cache;

/**
 * What the one thread has that does something of which there is one at a time; others go on without
 * it. It is given back by a store to {@link #isTaken}, which needs no stack. Thread-safe.
 */
final class Baton {
    /** Set with the monitor held, by the thread that clears it. */
    volatile boolean isTaken;

    /** Returns whether the running thread has it now. */
    synchronized boolean take() {
        if (isTaken) {
            return false;
        }
        isTaken = true;
        return true;
    }
}
