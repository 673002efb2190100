package io.polder.heap.space;

import org.jspecify.annotations.Nullable;

/**
 * Objects whose segments outlive the functions that got them: what is still lent keeps its region.
 *
 * <pre>{@code
 *   lent --function ends, lifetime closed--> over                      all but a few
 *     |
 *     +--lifetime cannot be closed--> remembered --segment unreachable--> over
 * }</pre>
 *
 * <p>The JDK does not close a lifetime that something has acquired; one who was cut off in the
 * middle of a call, by a {@link StackOverflowError} in a write to a channel for instance, never
 * releases it. A close may be cut off itself. Then the segment lives on in the hands of the
 * program, and the bytes it names must be nobody else's.
 *
 * <p>A thread adds its {@link Loan} before it leaves the access gate, in place, since there may be
 * no stack for a call: a monitor and two stores. So who gives memory back looks here after the
 * grace period, and finds all segments that could name it.
 *
 * <p>The critical section ends in any case: a segment that lives on costs the memory of one region,
 * and holds up nobody. Objects of that region are not moved, since it could not be given back.
 *
 * <p>Thread-safe: its monitor guards the list, and nothing else is taken under it.
 */
final class Loans {
    /** The one that was remembered last; written under the monitor, by who could not end it. */
    volatile @Nullable Loan first;

    /** None is remembered. */
    Loans() {}

    /** Whether a segment that somebody may use names bytes of a region; forgets those that are over. */
    boolean hold(Region region) {
        if (first == null) {
            return false;
        }
        boolean holds = false;
        synchronized (this) {
            Loan before = null;
            for (Loan loan = first; loan != null; loan = loan.next) {
                if (!loan.isReturnedLocked()) {
                    before = loan;
                    holds |= region.contains(loan.address);
                } else if (before == null) {
                    first = loan.next;
                } else {
                    before.next = loan.next;
                }
            }
        }
        return holds;
    }
}
