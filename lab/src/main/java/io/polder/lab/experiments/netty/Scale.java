package io.polder.lab.experiments.netty;

import java.time.Duration;
import java.util.List;

/**
 * How much is measured.
 *
 * @param buffers of the part without a server
 * @param server of the other one
 */
record Scale(Buffers buffers, Server server) {
    static final Scale QUICK =
            new Scale(
                    new Buffers(2, Duration.ofMillis(250), Duration.ofMillis(120)),
                    new Server(
                            1,
                            64,
                            Duration.ofSeconds(2),
                            Duration.ofSeconds(6),
                            Duration.ofSeconds(5)));

    static final Scale FULL =
            new Scale(
                    new Buffers(5, Duration.ofMillis(600), Duration.ofMillis(400)),
                    new Server(
                            3,
                            64,
                            Duration.ofSeconds(5),
                            Duration.ofSeconds(30),
                            Duration.ofSeconds(10)));

    /** After which a JVM is killed: long enough for a machine that is busy. */
    static Duration timeout() {
        return Duration.ofMinutes(5);
    }

    /**
     * Of buffers that are allocated and released.
     *
     * @param rounds in each of which each contender has a JVM
     * @param warmup before each measurement
     * @param window of each measurement
     */
    record Buffers(int rounds, Duration warmup, Duration window) {
        /** So many threads at a time. */
        static final List<Integer> THREADS = List.of(1, 2);
    }

    /**
     * Of the server.
     *
     * @param rounds in each of which each contender has a JVM
     * @param connections each with one request at a time
     * @param warmup before the resident set is taken as the base
     * @param load how long requests come
     * @param idle for how long none come afterwards
     */
    record Server(int rounds, int connections, Duration warmup, Duration load, Duration idle) {}
}
