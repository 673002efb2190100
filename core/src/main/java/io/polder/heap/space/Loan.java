package io.polder.heap.space;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.WeakReference;

/**
 * The bytes of an object that a function of the program has, as a segment, for as long as it runs:
 * {@link Loans} remember those that could not be ended then.
 *
 * <p>Guarded by {@link Loans}.
 */
final class Loan {
    /** Of the object. */
    long address;

    /** How long the segment lives; null from the first look on. */
    @Nullable Arena lifetime;

    /** The one that is remembered before, or the next that is spare. */
    @Nullable Loan next;

    private @Nullable WeakReference<MemorySegment.Scope> scope;

    /** Nothing is lent yet. */
    Loan() {}

    /** Makes it as new. */
    void clearLocked() {
        address = 0;
        lifetime = null;
        scope = null;
    }

    /**
     * Whether nobody can use the segment any more: it is dead, or unreachable, since whatever uses
     * it keeps its scope reachable.
     */
    boolean isReturnedLocked() {
        Arena mine = lifetime;
        if (mine != null) {
            scope = new WeakReference<>(mine.scope());
            lifetime = null; // second: it is looked at again if this was cut off in between
        }
        MemorySegment.Scope seen = scope == null ? null : scope.get();
        return seen == null || !seen.isAlive();
    }
}
