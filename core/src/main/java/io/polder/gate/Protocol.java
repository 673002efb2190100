package io.polder.gate;

/** How those who wait know of the readers of a gate. */
interface Protocol {

    /** Lets no critical section begin any more. {@link #synchronize} waits for those that have. */
    void mark();

    /** Undoes {@link #mark}. */
    void unmark();

    /** Waits until the critical sections have ended that had begun before the call. */
    void synchronize();

    /** What orders readers and waiters, and why, in words. */
    String fence();

    /** How many virtual threads are inside, as far as they are counted apart; else 0. */
    long virtualInside();
}
