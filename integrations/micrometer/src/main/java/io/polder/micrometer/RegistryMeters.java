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
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import java.util.stream.Collectors;

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
 * for the same. Meters that somebody removed are registered again then: all that the registry has
 * are walked for it, which is little beside reading them.
 *
 * <p><b>Who keeps whom.</b> The registry has the meters, those have this, and this has the
 * registry: all of it goes with the registry. {@link #KNOWN} and {@link BoundPool} keep nobody.
 *
 * <p><b>Locking.</b> The monitor is held while pools are asked for statistics, and never while the
 * registry is called, which runs code of the program: the thread that fits the meters has {@link
 * #fitting}, for which nobody waits. One who finds it taken leaves the work to the one that has it,
 * who looks again when he is done.
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

    /** Tags that went with their pools not long ago, and when; guarded by the monitor. */
    private final Map<String, Long> wentNanos = new HashMap<>();

    private final AtomicBoolean fitting = new AtomicBoolean();
    private volatile boolean complained;

    /** The look that the meters fit, and those meters; guarded by {@link #fitting}. */
    private long fitted;

    private final Map<BoundPool, PoolMeters> pools = new HashMap<>();
    private @Nullable Registrations poolCount;

    /** What the registry has of them, by identity; null if that changed since it was found. */
    private @Nullable Set<Meter> expected;

    private RegistryMeters(MeterRegistry registry) {
        this.registry = registry;
    }

    /** Those of one registry. */
    static RegistryMeters of(MeterRegistry registry) {
        Objects.requireNonNull(registry, "registry");
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
            lookToFitLocked(each -> each == pool);
        }
        fit();
    }

    /** Binds all pools until what it returns is closed; where that fails, it binds none. */
    PolderMetrics.Binding bindAll() {
        boolean handedOut = false;
        try {
            bindings(1);
            handedOut = true;
        } finally {
            if (!handedOut) {
                takeBackBinding();
            }
        }
        AtomicBoolean closed = new AtomicBoolean();
        return () -> {
            if (!closed.getAndSet(true)) {
                bindings(-1);
            }
        };
    }

    private void bindings(int more) {
        synchronized (this) {
            boolean first = bindings == 0;
            bindings += more;
            lookToFitLocked(_ -> first);
        }
        fit();
    }

    /** What the registry has got of it goes with the next look. */
    private synchronized void takeBackBinding() {
        bindings--;
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
                lookToReadLocked();
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

    /**
     * Looks for the meters alone: pools that come and go after it are seen by the next scrape.
     *
     * @param atOnce which pools get their tags also where these went not long ago
     */
    private void lookToFitLocked(Predicate<MemoryPool> atOnce) {
        long now = nanos();
        lookLocked(now, now - OLDEST_NANOS - 1, atOnce);
    }

    /**
     * Looks for a reading, so in the middle of a scrape, or of several. A tag that went with its
     * pool is left out until all of these have ended: Prometheus' registry may collect the meters
     * of both in one scrape, which then fails.
     */
    private void lookToReadLocked() {
        long now = nanos();
        lookLocked(now, now, _ -> false);
    }

    /** A pool that the last look did not find. */
    private record Newcomer(MemoryPool pool, int number, PoolStatistics statistics) {
        String name() {
            return statistics.name();
        }
    }

    /**
     * Looks at the pools that are bound and open.
     *
     * @param atNanos what the look says when it was
     * @param atOnce which pools get their tags also where these went not long ago
     */
    private void lookLocked(long now, long atNanos, Predicate<MemoryPool> atOnce) {
        List<MemoryPool> open = MemoryPool.openPools();
        bound.removeIf(each -> open.stream().noneMatch(each::refersTo));
        Map<BoundPool, PoolStatistics> found = new HashMap<>();
        FreeTags tags = new FreeTags();
        List<Newcomer> others = new ArrayList<>();
        for (MemoryPool pool : open) {
            if (bindings == 0 && bound.stream().noneMatch(each -> each.refersTo(pool))) {
                continue;
            }
            BoundPool known = seenBefore(pool);
            if (known == null) {
                others.add(new Newcomer(pool, pool.number(), pool.stats()));
            } else {
                tags.take(known.tag());
                found.put(known, pool.stats());
            }
        }
        noteGoneLocked(now, found);
        others.sort(Comparator.comparing(Newcomer::name).thenComparing(Newcomer::number));
        for (Newcomer each : others) {
            String name = each.name();
            int number = each.number();
            // One that is called as a pool that was closed just now waits for the next look.
            if (found.keySet().stream().noneMatch(other -> other.isCalled(name, number))) {
                String tag = tags.takeOf(name, number);
                if (!wentNanos.containsKey(tag) || atOnce.test(each.pool())) {
                    found.put(new BoundPool(each.pool(), name, number, tag), each.statistics());
                }
            }
        }
        look = new Look(look.number() + 1, atNanos, found);
    }

    /** Notes the tags of pools that the last look found and this one does not. */
    private void noteGoneLocked(long now, Map<BoundPool, PoolStatistics> found) {
        wentNanos.values().removeIf(each -> now - each > OLDEST_NANOS);
        for (BoundPool each : look.pools().keySet()) {
            if (!found.containsKey(each)) {
                wentNanos.put(each.tag(), now);
            }
        }
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

    /** Makes the meters fit the last look, or leaves it to the thread that is about it. */
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

    /**
     * Those of pools that went are removed last, since others may have them as well then; but those
     * whose tag another pool has begin anew, as its figures do.
     */
    private void fitTo(Look now) {
        Set<String> tags =
                now.pools().keySet().stream().map(BoundPool::tag).collect(Collectors.toSet());
        removeMeters(each -> now.of(each) == null && tags.contains(each.tag()));
        now.pools()
                .forEach(
                        (pool, statistics) -> {
                            PoolMeters its = pools.get(pool);
                            if (its == null) {
                                its = new PoolMeters(this, pool, statistics);
                                pools.put(pool, its);
                            }
                            its.follow(statistics);
                        });
        removeMeters(each -> now.of(each) == null);
        if (isBoundToAll()) {
            if (poolCount == null) {
                Registrations count = new Registrations(this);
                count.add(this::registerPoolCount);
                poolCount = count;
            }
        } else if (poolCount != null) {
            poolCount.remove();
            poolCount = null;
        }
        restoreMissing();
    }

    private void removeMeters(Predicate<BoundPool> which) {
        pools.entrySet()
                .removeIf(
                        each -> {
                            boolean gone = which.test(each.getKey());
                            if (gone) {
                                each.getValue().remove();
                            }
                            return gone;
                        });
    }

    /** Registers again what the program removed. */
    private void restoreMissing() {
        Set<Meter> ours = expected;
        if (ours == null) {
            ours = Collections.newSetFromMap(new IdentityHashMap<>());
            for (PoolMeters each : pools.values()) {
                each.addTo(ours);
            }
            if (poolCount != null) {
                poolCount.addTo(ours);
            }
            expected = ours;
        }
        if (countRegistered(ours) == ours.size()) {
            return;
        }
        Set<Meter> missing = Collections.newSetFromMap(new IdentityHashMap<>());
        missing.addAll(ours);
        registry.forEachMeter(missing::remove);
        for (PoolMeters each : pools.values()) {
            each.restore(missing);
        }
        if (poolCount != null) {
            poolCount.restore(missing);
        }
    }

    private int countRegistered(Set<Meter> some) {
        int[] count = new int[1];
        registry.forEachMeter(
                each -> {
                    if (some.contains(each)) {
                        count[0]++;
                    }
                });
        return count[0];
    }

    /** Meters were registered or removed by the thread that has {@link #fitting}. */
    void registrationsChanged() {
        expected = null;
    }

    /** Who has which meter, by identity; of several one. For who has {@link #fitting}. */
    IdentityHashMap<Meter, Registrations.Registration> owners() {
        IdentityHashMap<Meter, Registrations.Registration> owners = new IdentityHashMap<>();
        pools.values().forEach(each -> each.addTo(owners));
        return owners;
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
