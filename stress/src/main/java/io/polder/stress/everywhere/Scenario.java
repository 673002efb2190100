package io.polder.stress.everywhere;

import org.jspecify.annotations.Nullable;

/**
 * An operation that something is thrown in, with all it needs. Made anew for each point; what its
 * constructor does is the set-up, in which nothing is thrown.
 */
public interface Scenario {
    /**
     * The operation. What it throws is not a failure, if it is what was injected or a consequence
     * of it.
     */
    void operate() throws Throwable;

    /**
     * Checks what must hold after the operation, that it can be done again, and that everything
     * comes back. Nothing is thrown here any more.
     *
     * @param thrown what came out of the operation; null if nothing did
     * @throws Throwable if anything is not as it must be
     */
    void check(@Nullable Throwable thrown) throws Throwable;

    /** Gives memory back without further checks, when a check failed or hangs. */
    default void abandon() {}
}
