package io.polder.gate;

/**
 * The visitors of one stripe that could not end a visit, so that who waits finds them: their
 * threads may be virtual, and are registered nowhere.
 *
 * <pre>{@code
 *   last --> visitor --earlier--> visitor --earlier--> this
 * }</pre>
 *
 * <p>A visitor is added by two stores in place, without a call and so without an atomic update, as
 * {@link Accessor} shows; it stays. A <b>benign race</b>: of two threads of one stripe that are
 * both cut off at the same moment one may not be found here; its visit lasts until its next one
 * begins.
 */
public final class NotEnded {
    /** The one that was added last; this if there is none, so that it is never null. */
    public volatile Object last = this;

    /** Nobody. */
    NotEnded() {}

    /** How many visits are counted in a phase and could not be ended. */
    int count(int phase) {
        int count = 0;
        Object each = last;
        while (each instanceof CounterVisitor visitor) {
            if (Visit.depth(visitor.notEnded) == 1 && visitor.phase() == phase) {
                count++;
            }
            each = visitor.earlier;
        }
        return count;
    }
}
