package io.polder.lab.experiments.blocks;

import java.util.List;

/** What one thread of a workload does. */
interface Work {
    /** Operations of a pass at which a thread looks whether it is to end. A guess. */
    int PASS = 64;

    /** Before time is taken: allocates what lives meanwhile. */
    default void begin() {}

    /** Some operations; how many of those that are counted. */
    long pass();

    /** After time was taken: frees all that it has. */
    void end();

    /** Patterns of the methods with its loops, which are compiled when it is warm. */
    default List<String> loops() {
        return List.of(getClass().getSimpleName() + "\\.pass");
    }

    /** After so many passes another thread takes over the work. */
    default int passesOfAThread() {
        return Integer.MAX_VALUE;
    }

    /**
     * The works of all threads.
     *
     * @param rest frees, when all have ended, what none of them has
     */
    record Team(List<Work> works, Runnable rest) {
        /** Copies the list. */
        public Team {
            works = List.copyOf(works);
        }
    }

    /** Numbers that are drawn: Marsaglia's xorshift, the cheapest there is. */
    static long next(long random) {
        long x = random ^ (random << 13);
        x ^= x >>> 7;
        return x ^ (x << 17);
    }

    /** The numbers of a thread begin here: never zero, and unlike those of others. */
    static long firstRandom(long seed, int thread) {
        return ((seed * 1000 + thread + 1) * 0x9E37_79B9_7F4A_7C15L) | 1;
    }
}
