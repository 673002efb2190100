package io.polder.cache.caffeine;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.CacheLoader;
import com.github.benmanes.caffeine.cache.LoadingCache;

import io.polder.cache.OffHeapCache;

import java.util.Objects;

/**
 * Caffeine's interfaces of off-heap caches, for code that takes a cache of Caffeine.
 *
 * <p>What they return is the same cache: its entries, its map, its limits and its expiry. The
 * program that has built the off-heap cache closes it, when nobody uses it any more. It differs
 * from a cache that Caffeine has built in this:
 *
 * <ul>
 *   <li>Each read makes new objects. Keys are equal if their bytes are.
 *   <li>A value that is too large for an entry is as if it had been evicted as soon as it was put
 *       or loaded, as one of too much weight is by Caffeine: its key has no value then.
 *   <li>If there is a limit in bytes, the cache is a weighted one: its maximum is in bytes, and its
 *       weighted size is what it holds of its pool. Otherwise the maximum is in entries.
 *   <li>A maximum is 1 entry or 16 MiB at least; a smaller one is refused.
 *   <li>A key of another class than the codec takes is refused with a {@code ClassCastException},
 *       in questions as well.
 *   <li>{@code get} and {@code getOrDefault} of the map count hits and misses. {@code compute},
 *       {@code computeIfPresent} and {@code merge} count no loads.
 *   <li>Evictions are those for want of room, with values that were not kept at all, and counted
 *       without {@code recordStats}, too. The weight of the latter is not.
 *   <li>{@code setExpiresAfter} for all entries is not supported; that of one entry is.
 *   <li>{@code policy().refreshAfterWrite()} is empty. {@code refresh} calls the loader in the
 *       common pool; another one can be chosen in {@code asyncLoad} and {@code asyncReload}.
 *   <li>A value that is being loaded again is not stored if its key is changed or removed meanwhile
 *       by this view, nor if a key without a value is invalidated. What is done to the off-heap
 *       cache itself counts if another value is there then, or none. {@code refreshes()} has those
 *       of a moment.
 *   <li>{@code hottest}, {@code coldest}, {@code oldest} and {@code youngest} go through the whole
 *       cache; those with a stream copy it to the Java heap first.
 *   <li>Times of a {@code CacheEntry} are those of {@link System#nanoTime}.
 * </ul>
 */
public final class OffHeapCaffeine {
    private OffHeapCaffeine() {}

    /** A cache as one of Caffeine. */
    public static <K, V> Cache<K, V> asCaffeine(OffHeapCache<K, V> cache) {
        return new CacheView<>(Objects.requireNonNull(cache, "cache"));
    }

    /**
     * A cache as one of Caffeine that loads what is missing.
     *
     * @param loader what it throws is thrown; checked exceptions as the cause of a {@link
     *     java.util.concurrent.CompletionException}
     */
    public static <K, V> LoadingCache<K, V> asCaffeine(
            OffHeapCache<K, V> cache, CacheLoader<? super K, V> loader) {
        return new LoadingView<>(
                Objects.requireNonNull(cache, "cache"), Objects.requireNonNull(loader, "loader"));
    }
}
