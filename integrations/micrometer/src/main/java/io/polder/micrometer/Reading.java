package io.polder.micrometer;

import io.polder.PoolStatistics;

import org.jspecify.annotations.Nullable;

import java.util.function.ToDoubleFunction;

/**
 * One figure of one pool, for one meter. It is not given the same look twice: a scrape reads each
 * figure once, so a caller that asks again wants to know it anew. Nor is it given one from before
 * it was made.
 *
 * <p>Thread-safe: a race of two readers costs a look more, or gives both the same.
 */
final class Reading {
    private final RegistryMeters meters;
    private final BoundPool pool;
    private final ToDoubleFunction<PoolStatistics> figure;
    private volatile long lookNumber;
    private volatile double last;

    /** Whose figure it has instead; null while it is this. */
    private volatile @Nullable Reading heir;

    /**
     * @param figure what it is; not a number if it is there no more
     */
    Reading(RegistryMeters meters, BoundPool pool, ToDoubleFunction<PoolStatistics> figure) {
        this.meters = meters;
        this.pool = pool;
        this.figure = figure;
        this.lookNumber = meters.lookNumber();
    }

    /** From now on the meter has the figure of another pool, or heap. */
    void handOverTo(Reading next) {
        heir = next;
    }

    /** Whose figure it is: the last in a row of heirs, which is made short, as it may grow. */
    private Reading current() {
        Reading current = this;
        for (Reading next = heir; next != null; next = next.heir) {
            current = next;
        }
        if (current != this) {
            heir = current;
        }
        return current;
    }

    /** The figure as it is now; not a number once the pool is closed. */
    double gauge() {
        Look look = meters.lookAfter(lookNumber);
        lookNumber = look.number();
        Reading current = current(); // that look may have found the pool closed
        @Nullable PoolStatistics statistics = look.of(current.pool);
        return statistics == null ? Double.NaN : current.figure.applyAsDouble(statistics);
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
