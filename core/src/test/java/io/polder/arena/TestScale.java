package io.polder.arena;

/**
 * How much a test does of what is alike: a part of it in a plain build, all of it where the long
 * tests run.
 */
public final class TestScale {
    private static final boolean FULL = Boolean.getBoolean("polder.tests.full");

    private TestScale() {}

    /** Returns the first number in a plain build, the second one where the long tests run. */
    public static int of(int plain, int full) {
        return FULL ? full : plain;
    }
}
