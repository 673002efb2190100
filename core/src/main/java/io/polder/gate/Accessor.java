package io.polder.gate;

/**
 * One thread's way through one gate: the same as {@link Gate#enter} and so on, without a look-up.
 *
 * <p>Belongs to the thread that asked for it. Holds neither the thread nor the look-up of the gate
 * alive.
 */
public sealed interface Accessor permits Visitor {

    /**
     * Begins a visit, or enters once more; waits while the gate is closed.
     *
     * @throws WrongThreadException in another thread
     */
    void enter();

    /**
     * Begins a visit, or enters once more; false, and not inside, if the gate is closed.
     *
     * @throws WrongThreadException in another thread
     */
    boolean tryEnter();

    /**
     * Takes back one {@code enter}; the last one ends the visit.
     *
     * @throws WrongThreadException in another thread
     * @throws IllegalStateException if there is none to take back
     */
    void leave();

    /**
     * Whether the thread is inside.
     *
     * @throws WrongThreadException in another thread
     */
    boolean isInside();
}
