package io.polder.lab.experiments.elasticity;

import java.util.Locale;

/**
 * Where a workload is when a sample is taken, in the order of time. Names in lower case stand in
 * files of samples.
 */
enum Stage {
    /** Nothing is loaded; the code is warm. */
    BASE,
    /** On the way to the peak. */
    LOADING,
    /** All generations live for the first time. */
    PEAK,
    /** On the way to the valley. */
    FREEING,
    /** One generation is left, and nobody asked for memory back; the pool may have decayed. */
    VALLEY,
    /** As in the valley, after memory was asked back if the contender does so. */
    TRIMMED,
    /** On the way up again. */
    RELOADING,
    /** One old generation and all new ones live. */
    AGAIN,
    /** On the way to the end. */
    DRAINING,
    /** No loader lives, and nobody asked for memory back. */
    EMPTY,
    /** As when empty, after memory was asked back if the contender does so. */
    END,
    /** At the end of a cycle of a {@link SteadyRun}; times are those of the cycle alone. */
    STEADY;

    /** Its name in files. */
    String id() {
        return name().toLowerCase(Locale.ROOT);
    }
}
