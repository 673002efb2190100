package io.polder.gate;

import org.jspecify.annotations.Nullable;

/**
 * One thread's way through one gate: the same as {@link Gate#enter} and so on, without a look-up.
 *
 * <pre>{@code
 *   Accessor accessor = gate.accessor();      one look-up for both
 *   long section = accessor.begin();
 *   if (section == 0) {
 *       ...                                   the gate is closed
 *   }
 *   try {
 *       ...
 *   } finally {
 *       try {
 *           accessor.end(section);
 *       } catch (Throwable _) {               its call found no room on the stack
 *           accessor.notEnded = section;      stores, which need none
 *           if (accessor.earlier == null) {
 *               accessor.earlier = accessor.list.last;
 *               accessor.list.last = accessor;
 *           }
 *       }
 *   }
 * }</pre>
 *
 * <p>Belongs to the thread that asked for it. A program that asks for one at each critical section
 * pays for the look-up each time; it may also keep the accessor, which keeps neither the thread nor
 * the gate's table of readers alive.
 *
 * <p><b>Only that thread may use it</b>: what it does has no order with what another thread does,
 * and another thread that uses it loses critical sections. Only assertions check this, since each
 * critical section would else look for its thread after all: where they are enabled, each method
 * throws an {@link AssertionError} in another thread. The methods of {@link Gate} cannot be misused
 * like this.
 *
 * <p><b>Errors.</b> {@link #begin}, {@link #enter} and {@link #tryEnter} that throw leave the
 * thread outside, or as deep inside as it was. {@link #end} that throws has had no effect. The
 * stores above end the critical section instead: a waiter, and the thread's next {@code begin},
 * find them. So nothing need be thrown, and what was done inside is done. Where an inner scope was
 * cut off, the {@code end} of an outer one leaves for it as well.
 */
public abstract sealed class Accessor permits Reader {
    /**
     * What the last {@link #begin} returned whose {@link #end} was cut off; 0 if none was. Written
     * by the thread, in place; volatile, so that all that it did inside comes before.
     */
    public volatile long notEnded;

    /**
     * The one before in the list, or the list itself; null while this one is not there. Written by
     * the thread.
     */
    public @Nullable Object earlier;

    /** Where those who wait find it. */
    public final NotEnded list;

    Accessor(NotEnded list) {
        this.list = list;
    }

    /**
     * Begins a critical section, or a scope within it.
     *
     * @return what {@link #end} wants; 0, and not inside, if the gate is closed
     */
    public abstract long begin();

    /**
     * Ends a scope, and those within it that could not be ended; the outermost one ends the
     * critical section. Does nothing if the critical section was given up meanwhile.
     *
     * @param section what {@link #begin} returned
     */
    public abstract void end(long section);

    /** Begins a critical section, or enters once more; waits while the gate is closed. */
    public abstract void enter();

    /**
     * Begins a critical section, or enters once more; false, and outside, if the gate is closed.
     */
    public abstract boolean tryEnter();

    /**
     * Takes back one {@code enter}; the last one ends the critical section.
     *
     * @throws IllegalStateException if there is none to take back
     */
    public abstract void leave();

    /**
     * Ends the critical section, for the scope that began it: also if inner scopes failed to leave,
     * as one does whose {@code leave} finds no room on the stack.
     *
     * @throws IllegalStateException if there is no critical section
     */
    public abstract void leaveOutermost();

    /** Whether the thread is inside. */
    public abstract boolean isInside();
}
