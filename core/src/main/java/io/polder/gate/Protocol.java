package io.polder.gate;

/** How visits of a gate are known to those who wait. */
interface Protocol {

    /** Lets no visit begin that has not begun. {@link #awaitEarlier} waits for all the others. */
    void mark();

    /** Undoes {@link #mark}. */
    void unmark();

    /** Waits until the visits have ended that had begun before the call. */
    void awaitEarlier();

    /** What orders visits and those who wait, and why, in words. */
    String fence();

    /** How many virtual threads are inside, as far as they are counted apart; else 0. */
    long virtualInside();

    /** Checks that visits can begin iff not closed; nobody opens or closes meanwhile. */
    void verify(boolean closed);

    /** Checks that nobody is counted. */
    void verifyEmpty();
}
