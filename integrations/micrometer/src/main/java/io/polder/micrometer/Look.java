package io.polder.micrometer;

import io.polder.PoolStatistics;

import org.jspecify.annotations.Nullable;

import java.util.Map;

/**
 * What pools held when somebody looked at them. Keeps none of them reachable. Immutable.
 *
 * @param number the first one of a registry is 1
 * @param atNanos when that was, by the registry's clock
 * @param pools what each held
 */
record Look(long number, long atNanos, Map<BoundPool, PoolStatistics> pools) {
    /** Makes the map unmodifiable. */
    Look {
        pools = Map.copyOf(pools);
    }

    /** What one of them held; null if it is not among them. */
    @Nullable PoolStatistics of(BoundPool pool) {
        return pools.get(pool);
    }
}
