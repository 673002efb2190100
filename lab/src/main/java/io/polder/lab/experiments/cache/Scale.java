package io.polder.lab.experiments.cache;

import java.time.Duration;
import java.util.List;

/**
 * How much is measured.
 *
 * @param memory of the part on memory
 * @param traffic of the part on speed
 * @param requests of each trace of keys
 */
record Scale(Memory memory, Traffic traffic, int requests) {
    static final Scale QUICK =
            new Scale(
                    new Memory(64 << 20, Duration.ofSeconds(2)),
                    new Traffic(List.of(200_000), 2, Duration.ofMillis(500)),
                    100_000);

    static final Scale FULL =
            new Scale(
                    new Memory(512 << 20, Duration.ofSeconds(5)),
                    new Traffic(List.of(1_000_000, 20_000_000), 5, Duration.ofSeconds(1)),
                    1_000_000);

    /** After which a JVM is killed: long enough for a slow contender on a machine that is busy. */
    static Duration timeout() {
        return Duration.ofMinutes(20);
    }

    /**
     * Of what a cache holds.
     *
     * @param limit of the cache, in bytes
     * @param rest after entries were removed; a fifth of it after they were put
     */
    record Memory(long limit, Duration rest) {}

    /**
     * Of how fast it is.
     *
     * @param entries of the cache; each count has a JVM of its own
     * @param windows in which is measured, each once without a clock and once with one
     * @param window how long each of them is
     */
    record Traffic(List<Integer> entries, int windows, Duration window) {
        /** Copies the list. */
        Traffic {
            entries = List.copyOf(entries);
        }

        int most() {
            return entries.getLast();
        }
    }
}
