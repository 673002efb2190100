package io.polder.micrometer;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.BaseUnits;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.polder.cache.CacheStats;
import io.polder.cache.OffHeapCache;

import java.util.Objects;
import java.util.function.ToLongFunction;

/**
 * The meters of one {@link OffHeapCache}: {@code polder.cache.entries} and so on, with its name as
 * tag {@code cache}. Needs {@code polder-cache}, which all else here does not.
 *
 * <p>Figures come from {@link OffHeapCache#stats} when a registry asks for them, each by itself.
 * Hits and misses are 0 if the cache was built without {@code recordStats}. Meters of a closed
 * cache show its last counts, and 0 for the memory that it holds. They stay, so who binds another
 * cache of that name to the registry removes them first. A registry does not keep the cache
 * reachable; when it was collected, gauges are not a number, as {@code NaN} in Prometheus.
 *
 * <p>Thread-safe.
 */
public final class OffHeapCacheMetrics implements MeterBinder {
    private final OffHeapCache<?, ?> cache;
    private final Tags tags;

    /**
     * The meters of a cache, under the name that it was built with, as reports have it.
     *
     * @throws IllegalArgumentException if it has none
     */
    public OffHeapCacheMetrics(OffHeapCache<?, ?> cache) {
        this(cache, cache.name());
        if (cache.name().isEmpty()) {
            throw new IllegalArgumentException(
                    "a cache must be built with a name, or be given one for its meters");
        }
    }

    /**
     * The meters of a cache.
     *
     * @param name the value of tag {@code cache}
     */
    public OffHeapCacheMetrics(OffHeapCache<?, ?> cache, String name) {
        this.cache = Objects.requireNonNull(cache, "cache");
        this.tags = Tags.of("cache", Objects.requireNonNull(name, "name"));
    }

    /**
     * Registers the meters. That of the limit in bytes is there if the cache has one at that time.
     */
    @Override
    public void bindTo(MeterRegistry registry) {
        gauge("polder.cache.entries", CacheStats::entries)
                .description("Entries")
                .register(registry);
        bytes("entries", CacheStats::entryBytes).register(registry);
        bytes("index", CacheStats::indexBytes).register(registry);
        bytes("held", CacheStats::heldBytes).register(registry);
        if (cache.policy().maximumBytes() != Long.MAX_VALUE) {
            gauge("polder.cache.maximum", CacheStats::maximumBytes)
                    .description("The limit in bytes")
                    .baseUnit(BaseUnits.BYTES)
                    .register(registry);
        }
        gets("hit", CacheStats::hits).register(registry);
        gets("miss", CacheStats::misses).register(registry);
        counter("polder.cache.evictions", CacheStats::evictions)
                .description("Entries that left for want of room")
                .register(registry);
        counter("polder.cache.refused.puts", CacheStats::refusedPuts)
                .description("Values that were as if evicted at once")
                .register(registry);
    }

    private Gauge.Builder<OffHeapCache<?, ?>> gauge(
            String name, ToLongFunction<CacheStats> figure) {
        return Gauge.<OffHeapCache<?, ?>>builder(
                        name, cache, each -> (double) figure.applyAsLong(each.stats()))
                .tags(tags);
    }

    private Gauge.Builder<OffHeapCache<?, ?>> bytes(
            String kind, ToLongFunction<CacheStats> figure) {
        return gauge("polder.cache.bytes", figure)
                .tag("kind", kind)
                .description("Bytes of entries and of the index, and what is held of the pool")
                .baseUnit(BaseUnits.BYTES);
    }

    private FunctionCounter.Builder<OffHeapCache<?, ?>> gets(
            String result, ToLongFunction<CacheStats> figure) {
        return counter("polder.cache.gets", figure)
                .tag("result", result)
                .description("Keys that were asked for");
    }

    private FunctionCounter.Builder<OffHeapCache<?, ?>> counter(
            String name, ToLongFunction<CacheStats> figure) {
        return FunctionCounter.<OffHeapCache<?, ?>>builder(
                        name, cache, each -> (double) figure.applyAsLong(each.stats()))
                .tags(tags);
    }
}
