package io.polder.gate;

/**
 * The readers of one stripe that could not end a critical section, so that a waiter finds them:
 * their threads may be virtual, and are registered nowhere.
 *
 * <pre>{@code
 *   last --> reader --earlier--> reader --earlier--> this
 * }</pre>
 *
 * <p>A reader is added by two stores in place, without a call and so without an atomic update, as
 * {@link Accessor} shows; it stays. A <b>benign race</b>: of two threads of one stripe that are
 * both cut off at the same moment one may not be found here; its critical section lasts until it
 * begins the next one.
 */
public final class NotEnded {
    /** The one that was added last; this if there is none, so that it is never null. */
    public volatile Object last = this;

    /** Nobody. */
    NotEnded() {}

    /** How many critical sections are counted in a phase and could not be ended. */
    int count(int phase) {
        int count = 0;
        Object each = last;
        while (each instanceof CounterReader reader) {
            if (CriticalSection.depth(reader.notEnded) == 1 && reader.phase() == phase) {
                count++;
            }
            each = reader.earlier;
        }
        return count;
    }
}
