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
 * <p>A thread that cannot end one fills a spare {@link Loan} before it leaves the access gate, in
 * place, since there may be no stack for a call: a monitor and some stores. So whoever gives memory
 * back looks here after the grace period, and finds all segments that could name it. Where there is
 * no spare, one is made. Should that fail as well, then nobody knows what such a segment names, and
 * nothing is given back any more: that takes more overflows than there are spares, of threads that
 * have not even stack for a constructor, before anybody has looked.
 *
 * <p>The critical section ends in any case: a segment that lives on costs the memory of one region,
 * and holds up nobody. Objects of that region are not moved, since it could not be given back.
 *
 * <p>Thread-safe: its monitor guards all, and nothing else is taken under it.
 */
final class Loans {
    /** How many are spare, at least, after somebody has looked. */
    static final int SPARES = 64;

    /** The one that was remembered last; written under the monitor, by who could not end it. */
    volatile @Nullable Loan first;

    /** Taken under the monitor, from the front. */
    @Nullable Loan spare;

    /** Whether one could not be remembered. */
    volatile boolean unknown;

    /** None is remembered. */
    Loans() {
        refillLocked();
    }

    private void refillLocked() {
        int count = 0;
        for (Loan loan = spare; loan != null; loan = loan.next) {
            count++;
        }
        for (; count < SPARES; count++) {
            addSpareLocked(new Loan());
        }
    }

    private void addSpareLocked(Loan loan) {
        loan.next = spare;
        spare = loan;
    }

    /**
     * Whether a segment that somebody may use names bytes of a region; forgets those that are over.
     */
    boolean hold(Region region) {
        if (unknown) {
            return true;
        }
        if (first == null) {
            return false;
        }
        boolean holds = false;
        synchronized (this) {
            Loan before = null;
            Loan next;
            for (Loan loan = first; loan != null; loan = next) {
                next = loan.next;
                if (!loan.isReturnedLocked()) {
                    before = loan;
                    holds |= region.contains(loan.address);
                    continue;
                }
                if (before == null) {
                    first = next;
                } else {
                    before.next = next;
                }
                loan.clearLocked();
                addSpareLocked(loan);
            }
            refillLocked();
        }
        return holds;
    }
}
