package io.polder.gate;

/**
 * One thread's way through one gate: the same as {@link Gate#enter} and so on, without a look-up.
 *
 * <pre>{@code
 *   Accessor accessor = gate.accessor();      one look-up for both
 *   accessor.enter();
 *   try {
 *       ...
 *   } finally {
 *       accessor.leave();
 *   }
 * }</pre>
 *
 * <p>Belongs to the thread that asked for it. To ask for one at each visit costs what a look-up
 * costs; it may be kept as well, and holds neither the thread nor the look-up of the gate alive.
 *
 * <p><b>Only that thread may use it</b>: what it does has no order with what another thread does,
 * and one that uses it nevertheless loses visits. Only assertions check this, since a visit would
 * else look for its thread after all: where they are enabled, each method throws an {@link
 * AssertionError} in another thread. {@link Gate}'s own methods cannot be misused like this.
 */
public sealed interface Accessor permits Visitor {

    /**
     * Begins a visit, or enters once more; waits while the gate is closed.
     */
    void enter();

    /**
     * Begins a visit, or enters once more; false, and not inside, if the gate is closed.
     */
    boolean tryEnter();

    /**
     * Takes back one {@code enter}; the last one ends the visit.
     *
     * @throws IllegalStateException if there is none to take back
     */
    void leave();

    /**
     * Ends the visit, for the scope that began it: also if inner scopes failed to leave, as one
     * does whose {@code leave} finds no room on the stack.
     *
     * @throws IllegalStateException if there is no visit
     */
    void leaveOutermost();

    /**
     * Whether the thread is inside.
     */
    boolean isInside();
}
