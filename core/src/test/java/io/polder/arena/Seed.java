package io.polder.arena;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/**
 * The seed of random tests: {@code -Dpolder.test.seed=N}, or else a new one for each run. A test
 * that fails names it.
 */
public final class Seed {
    public static final String PROPERTY = "polder.test.seed";

    private Seed() {}

    public static long get() {
        Long given = Long.getLong(PROPERTY);
        return given != null ? given : System.nanoTime();
    }

    /** Runs a test; its failure says which seed it had. */
    public static void naming(long seed, ThrowingCallable test) {
        try {
            test.call();
        } catch (Throwable failure) {
            throw new AssertionError("again with -D" + PROPERTY + "=" + seed, failure);
        }
    }
}
