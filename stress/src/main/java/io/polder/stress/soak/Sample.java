package io.polder.stress.soak;

import io.polder.memory.ProcessCheck;

/**
 * What the process has at one moment.
 *
 * @param rssBytes the resident set
 * @param committedBytes memory behind the pools
 * @param mappings as the kernel counts them
 */
record Sample(long rssBytes, long committedBytes, long mappings) {
    static final Sample NOTHING = new Sample(0, 0, 0);

    /** Looks now. */
    static Sample take(Pools pools) {
        return new Sample(
                ProcessCheck.rssBytes()
                        .orElseThrow(
                                () -> new IllegalStateException("this system does not tell RSS")),
                pools.committedBytes(),
                ProcessCheck.count()
                        .orElseThrow(
                                () ->
                                        new IllegalStateException(
                                                "this system does not tell mappings")));
    }

    /** The greater of each. */
    Sample most(Sample other) {
        return new Sample(
                Math.max(rssBytes, other.rssBytes),
                Math.max(committedBytes, other.committedBytes),
                Math.max(mappings, other.mappings));
    }
}
