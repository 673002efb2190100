package io.polder.heap.space;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.WeakReference;
import java.util.Arrays;

/**
 * Objects whose segments outlive the functions that got them: what is still lent keeps its region.
 *
 * <pre>{@code
 *   lent --function ends, lifetime closed--> over                      all but a few
 *     |
 *     +--lifetime cannot be closed--> remembered --segment unreachable--> over
 *
 *   addresses   | of an object | of an object | of an object |  room  ...
 *   lifetimes   | Arena        | weak scope   | weak scope   |  room  ...
 *                                                             ^
 *                                                             count
 * }</pre>
 *
 * <p>The JDK does not close a lifetime that something has acquired; one that an error ended in the
 * middle of a call, by a {@link StackOverflowError} in a write to a channel for instance, never
 * releases it. A close may fail itself. Then the segment lives on in the hands of the
 * program, and the bytes it names must be nobody else's.
 *
 * <p>A thread that cannot end one remembers it before it leaves the access gate, in place, since
 * there may be no stack for a call: a monitor and some stores. So the thread that gives memory back
 * looks here after the grace period, and finds all segments that could name it. Where there is no
 * room, some is made. Should that fail as well, then nobody knows what such a segment names, and
 * nothing is given back any more: that takes more overflows than there is room for, of threads that
 * have not even stack for a call, before anybody has looked.
 *
 * <p>The critical section ends in any case: a segment that lives on costs the memory of one region,
 * and holds up nobody. Objects of that region are not moved, since it could not be given back.
 *
 * <p>Invariant: {@code count <= lifetimes.length <= addresses.length}. A look that fails
 * leaves one here twice, and none out.
 *
 * <p>Thread-safe: its monitor guards all, and nothing else is taken under it.
 */
final class Loans {
    /** For how many there is room, at least, after somebody has looked. */
    static final int SPARES = 64;

    /** Where the objects are. */
    long[] addresses = new long[SPARES];

    /** How long their segments live: an arena, or from the first look on its scope, weakly. */
    @Nullable Object[] lifetimes = new @Nullable Object[SPARES];

    /** How many are remembered; written under the monitor, by who could not end one. */
    volatile int count;

    /** Whether one could not be remembered. */
    volatile boolean unknown;

    /** Makes room for more. */
    void makeRoomLocked() {
        int length = count + SPARES;
        addresses = Arrays.copyOf(addresses, length); // first: see the invariant
        lifetimes = Arrays.copyOf(lifetimes, length);
    }

    /**
     * Whether a segment that somebody may use names bytes of a region; forgets those that are over.
     */
    boolean hold(Region region) {
        if (unknown) {
            return true;
        }
        if (count == 0) {
            return false;
        }
        boolean holds = false;
        synchronized (this) {
            int kept = 0;
            for (int at = 0; at < count; at++) {
                if (!isOverLocked(at)) {
                    holds |= region.contains(addresses[at]);
                    addresses[kept] = addresses[at];
                    lifetimes[kept] = lifetimes[at];
                    kept++;
                }
            }
            count = kept;
            Arrays.fill(lifetimes, kept, lifetimes.length, null);
            if (lifetimes.length - kept < SPARES) {
                makeRoomLocked();
            }
        }
        return holds;
    }

    /**
     * Whether nobody can use a segment any more: it is dead, or unreachable, since whatever uses it
     * keeps its scope reachable.
     */
    private boolean isOverLocked(int at) {
        if (lifetimes[at] instanceof Arena arena) {
            lifetimes[at] = new WeakReference<>(arena.scope());
        }
        return !(lifetimes[at] instanceof WeakReference<?> weak
                && weak.get() instanceof MemorySegment.Scope scope
                && scope.isAlive());
    }
}
