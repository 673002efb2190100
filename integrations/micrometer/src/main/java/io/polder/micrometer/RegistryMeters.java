package io.polder.micrometer;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.polder.MemoryPool;
import io.polder.PoolStatistics;

import org.jspecify.annotations.Nullable;

import java.lang.System.Logger.Level;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The meters of Polder's in one registry.
 *
 * <pre>{@code
 *   registry --meters--> Reading --------> RegistryMeters --> Look --> statistics of each pool
 *                                            |                           ^
 *                        PoolMeters <--------+---- weak reference ---> MemoryPool
 * }</pre>
 *
 * <p>A {@link Look} has what all bound pools held at one time. A reading that has had the current
 * one, or finds it too old, has another one made; then the meters are made to fit the pools that
 * were found. So a scrape, which reads each meter once, costs one look, and no meter is asked twice
 * for the same.
 *
 * <p><b>Who keeps whom.</b> The registry has the meters, those have this, and this has the
 * registry: all of it goes with the registry. {@link #KNOWN} and {@link BoundPool} keep nobody.
 *
 * <p><b>Locking.</b> The monitor is held while pools are asked for statistics, and never while the
 * registry is called, which runs code of the program: whoever fits the meters has {@link #fitting},
 * for which nobody waits. One who finds it taken leaves the work to who has it, who looks again
 * when he is done.
 *
 * <p>Thread-safe.
 */
final class RegistryMeters {
    /** Longer than a scrape takes, and short beside the time between two. */
    private static final long OLDEST_NANOS = 1_000_000_000;

    private static final Map<MeterRegistry, WeakReference<RegistryMeters>> KNOWN =
            new WeakHashMap<>();

    private final MeterRegistry registry;

    /** Pools that are bound by themselves; guarded by the monitor. */
    private final List<WeakReference<MemoryPool>> bound = new ArrayList<>();

    /** How often all pools are bound; guarded by the monitor. */
    private int bindings;

    private volatile Look look = new Look(0, 0, Map.of());

    private final AtomicBoolean fitting = new AtomicBoolean();
    private volatile boolean complained;

    /** The look that the meters fit, and those meters; guarded by {@link #fitting}. */
    private long fitted;

    private final Map<BoundPool, PoolMeters> pools = new HashMap<>();
    private @Nullable Meter poolCount;

    private RegistryMeters(MeterRegistry registry) {
        this.registry = registry;
    }

    /** Those of one registry. */
    static RegistryMeters of(MeterRegistry registry) {
        synchronized (KNOWN) {
            WeakReference<RegistryMeters> known = KNOWN.get(registry);
            RegistryMeters found = known == null ? null : known.get();
            if (found == null) {
                found = new RegistryMeters(registry);
                KNOWN.put(registry, new WeakReference<>(found));
            }
            return found;
        }
    }

    MeterRegistry registry() {
        return registry;
    }

    /** Binds one pool until it is closed. */
    void bind(MemoryPool pool) {
        synchronized (this) {
            if (bound.stream().noneMatch(each -> each.refersTo(pool))) {
                bound.add(new WeakReference<>(pool));
            }
            lookLocked();
        }
        fit();
    }

    /** Binds all pools until what it returns is closed. */
    PolderMetrics.Binding bindAll() {
        bindings(1);
        AtomicBoolean closed = new AtomicBoolean();
        return () -> {
            if (!closed.getAndSet(true)) {
                bindings(-1);
            }
        };
    }

    private void bindings(int more) {
        synchronized (this) {
            bindings += more;
            lookLocked();
        }
        fit();
    }

    /**
     * A look that a reading has not had.
     *
     * @param number the one that it has had last
     */
    Look lookAfter(long number) {
        Look now = look;
        if (isNews(now, number)) {
            return now;
        }
        synchronized (this) {
            if (!isNews(look, number)) {
                lookLocked();
            }
            now = look;
        }
        try {
            fit();
        } catch (RuntimeException refused) {
            complain(refused); // but the figure is there
        }
        return now;
    }

    /** How often somebody has looked. */
    long lookNumber() {
        return look.number();
    }

    private boolean isNews(Look some, long number) {
        return some.number() > number && nanos() - some.atNanos() <= OLDEST_NANOS;
    }

    private long nanos() {
        return registry.config().clock().monotonicTime();
    }

    /** Looks at the pools that are bound and open. */
    private void lookLocked() {
        List<MemoryPool> open = MemoryPool.openPools();
        bound.removeIf(each -> open.stream().noneMatch(each::refersTo));
        Map<BoundPool, PoolStatistics> found = new HashMap<>();
        Set<String> tags = new HashSet<>();
        List<MemoryPool> others = new ArrayList<>();
        for (MemoryPool pool : open) {
            if (bindings == 0 && bound.stream().noneMatch(each -> each.refersTo(pool))) {
                continue;
            }
            BoundPool known = seenBefore(pool);
            if (known == null) {
                others.add(pool);
            } else if (tags.add(known.tag())) {
                found.put(known, pool.stats());
            }
        }
        for (MemoryPool pool : others) {
            PoolStatistics statistics = pool.stats();
            BoundPool its = new BoundPool(pool, pool.number(), statistics.name());
            // One that is called as a pool that was closed just now waits for the next look.
            if (tags.add(its.tag())) {
                found.put(its, statistics);
            }
        }
        look = new Look(look.number() + 1, nanos(), found);
    }

    /** A pool as it was in the last look; null if it was not, or had another number. */
    private @Nullable BoundPool seenBefore(MemoryPool pool) {
        int number = pool.number();
        for (BoundPool each : look.pools().keySet()) {
            if (each.is(pool, number)) {
                return each;
            }
        }
        return null;
    }

    private synchronized boolean isBoundToAll() {
        return bindings > 0;
    }

    /** Makes the meters fit the last look, or leaves it to who is about it. */
    private void fit() {
        Look seen;
        do {
            if (fitting.getAndSet(true)) {
                return;
            }
            try {
                seen = look;
                if (fitted != seen.number()) {
                    fitTo(seen);
                    fitted = seen.number();
                }
            } finally {
                fitting.set(false);
            }
        } while (look.number() != seen.number());
    }

    private void fitTo(Look now) {
        pools.entrySet()
                .removeIf(
                        each -> {
                            boolean gone = now.of(each.getKey()) == null;
                            if (gone) {
                                each.getValue().remove();
                            }
                            return gone;
                        });
        now.pools()
                .forEach(
                        (pool, statistics) -> {
                            PoolMeters its = pools.get(pool);
                            if (its == null) {
                                its = new PoolMeters(this, pool, statistics);
                                pools.put(pool, its);
                            }
                            its.heapsAre(statistics);
                        });
        if (isBoundToAll()) {
            if (poolCount == null) {
                poolCount = registerPoolCount();
            }
        } else if (poolCount != null) {
            Meter _ = registry.remove(poolCount);
            poolCount = null;
        }
    }

    private Meter registerPoolCount() {
        PoolCount count = new PoolCount(this);
        return Gauge.builder("polder.pools", count::gauge)
                .description("Pools that are open")
                .register(registry);
    }

    /** How many pools there are, read as a {@link Reading} is. */
    private static final class PoolCount {
        private final RegistryMeters meters;
        private volatile long lookNumber;

        PoolCount(RegistryMeters meters) {
            this.meters = meters;
            this.lookNumber = meters.lookNumber();
        }

        double gauge() {
            Look look = meters.lookAfter(lookNumber);
            lookNumber = look.number();
            return look.pools().size();
        }
    }

    private void complain(RuntimeException refused) {
        if (!complained) {
            complained = true;
            System.getLogger("io.polder")
                    .log(Level.WARNING, "meters of a pool cannot be registered", refused);
        }
    }
}
