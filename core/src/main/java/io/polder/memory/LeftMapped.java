package io.polder.memory;

import org.jspecify.annotations.Nullable;

/**
 * Addresses that stay mapped although their reservations have ended, for readers who do not know
 * that.
 *
 * <pre>{@code
 *   reserved --releaseMapped--> left mapped: readable, zeros, no memory --reserve--> reserved
 * }</pre>
 *
 * <p>They are never unmapped, so a process has as many of them as it had reserved at a time, and
 * more where reservations did not fit into those that were left. A reservation that is made of one
 * takes all of it, and leaves it mapped again when it ends.
 *
 * <p>To be used with the monitor of {@link Mappings} held.
 */
final class LeftMapped {
    /** The one that was left last; changed in place, by stores alone. */
    @Nullable Reservation first;

    /** The smallest one that is as large and aligned so; null if there is none. */
    @Nullable Reservation findLocked(long bytes, long alignment) {
        Reservation best = null;
        for (Reservation each = first; each != null; each = each.next) {
            if (each.mappedBytes >= bytes
                    && (each.address & (alignment - 1)) == 0
                    && (best == null || each.mappedBytes < best.mappedBytes)) {
                best = each;
            }
        }
        return best;
    }

    /** The one in front of another in the list; null if that is the first. */
    @Nullable Reservation beforeLocked(Reservation one) {
        Reservation before = null;
        for (Reservation each = first; each != null && each != one; each = each.next) {
            before = each;
        }
        return before;
    }
}
