package io.polder.micrometer;

import io.polder.PoolStatistics;

import org.jspecify.annotations.Nullable;

import java.util.function.ToDoubleFunction;

/**
 * One figure of one pool, for one meter. It is not given the same look twice: a scrape reads each
 * figure once, so whoever asks again wants to know it anew. Nor is it given one from before it was
 * made.
 *
 * <p>Thread-safe: a race of two readers costs a look more, or gives both the same.
 */
final class Reading {
    private final RegistryMeters meters;
    private final BoundPool pool;
    private final ToDoubleFunction<PoolStatistics> figure;
    private volatile long lookNumber;
    private volatile double last;

    /**
     * @param figure what it is; not a number if it is there no more
     */
    Reading(RegistryMeters meters, BoundPool pool, ToDoubleFunction<PoolStatistics> figure) {
        this.meters = meters;
        this.pool = pool;
        this.figure = figure;
        this.lookNumber = meters.lookNumber();
    }

    /** The figure as it is now; not a number once the pool is closed. */
    double gauge() {
        Look look = meters.lookAfter(lookNumber);
        lookNumber = look.number();
        @Nullable PoolStatistics statistics = look.of(pool);
        return statistics == null ? Double.NaN : figure.applyAsDouble(statistics);
    }

    /** The same of what only grows; once the pool is closed, as it was last. */
    double total() {
        double now = gauge();
        if (!Double.isNaN(now)) {
            last = now;
        }
        return last;
    }
}
