package io.polder.cache;

/**
 * What the one thread has that does something of which there is one at a time; others go on without
 * it. It is given back by a store to {@link #isTaken}, which needs no stack. Thread-safe.
 *
 * <p>Who gives it back and then reads {@link #isAsked} knows of everyone who went on without it: he
 * said so before he looked whether it was taken.
 */
final class Baton {
    /** Set with the monitor held, by the thread that clears it. */
    volatile boolean isTaken;

    /** Whether somebody has asked in vain since it was taken. */
    volatile boolean isAsked;

    /** Returns whether the running thread has it now. */
    synchronized boolean take() {
        isAsked = true;
        if (isTaken) {
            return false;
        }
        isTaken = true;
        isAsked = false;
        return true;
    }
}
