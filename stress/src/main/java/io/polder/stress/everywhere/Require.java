package io.polder.stress.everywhere;

/** Checks of numbers, with what they mean. */
public final class Require {
    private Require() {}

    /**
     * Checks that two numbers are equal.
     *
     * @throws AssertionError if not
     */
    public static void equal(String what, long found, long expected) {
        if (found != expected) {
            throw new AssertionError(what + ": expected=" + expected + ", found=" + found);
        }
    }

    /**
     * Checks that a rule holds.
     *
     * @throws AssertionError if not
     */
    public static void that(boolean holds, String rule) {
        if (!holds) {
            throw new AssertionError(rule);
        }
    }
}
