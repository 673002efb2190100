package io.polder.agent.census;

import org.jspecify.annotations.Nullable;

/** The census that runs; none at first. Thread-safe. */
final class CurrentRun {
    private volatile @Nullable Run run;

    @Nullable Run get() {
        return run;
    }

    void set(@Nullable Run run) {
        this.run = run;
    }
}
