package io.polder.cache;

import java.util.Locale;

/**
 * What a cache holds now, and has done since it was built. Not of one moment. Sizes are in bytes,
 * times in nanoseconds. What is counted with {@link OffHeapCacheBuilder#recordStats} alone is 0
 * without it. Later versions may say more.
 *
 * @param hits how often a key was asked for and had an entry, or got one from a loader of another
 *     thread while somebody waited; with {@code recordStats}
 * @param misses how often it had none; with {@code recordStats}
 * @param loads how often a loader has returned a value; with {@code recordStats}
 * @param loadFailures how often one has thrown, or returned null or no value; with {@code
 *     recordStats}
 * @param loadNanos how long loaders have run; with {@code recordStats}
 * @param evictions entries that left for want of room
 * @param evictedBytes what these took
 * @param refusedPuts values that were as if evicted at once, since there was no memory for them, or
 *     since they were too large and had been loaded, or put by {@link OffHeapCache#evictingLarge}
 * @param entries how many there are, those included that have expired and were not removed yet
 * @param entryBytes what they take, with their headers and handles
 * @param indexBytes what the index takes; 0 once the cache is closed
 * @param heldBytes what the cache holds of its pool, what is dead and not yet compacted away
 *     included; 0 once the cache is closed
 * @param maximumBytes the limit; {@link Long#MAX_VALUE} if there is none
 */
public record CacheStats(
        long hits,
        long misses,
        long loads,
        long loadFailures,
        long loadNanos,
        long evictions,
        long evictedBytes,
        long refusedPuts,
        long entries,
        long entryBytes,
        long indexBytes,
        long heldBytes,
        long maximumBytes) {
    /** The share of hits, from 0 to 1; 1 if nothing was asked for. */
    public double hitRate() {
        long asked = hits + misses;
        return asked == 0 ? 1 : (double) hits / asked;
    }

    /**
     * What the report of the cache's pool says of it.
     *
     * @param name empty if it has none
     * @param heap the number of the heap that its entries are in
     */
    String line(String name, int heap) {
        return String.format(
                Locale.ROOT,
                "cache%s on heap %d: %d entries of %s, index %s, held %s, limit=%s%s%s",
                name.isEmpty() ? "" : " '" + name + "'",
                heap,
                entries,
                megabytes(entryBytes),
                megabytes(indexBytes),
                megabytes(heldBytes),
                maximumBytes == Long.MAX_VALUE ? "none" : megabytes(maximumBytes),
                hits + misses == 0
                        ? ""
                        : String.format(Locale.ROOT, ", %.0f%% hits", 100 * hitRate()),
                refusedPuts == 0 ? "" : ", refused puts=" + refusedPuts);
    }

    private static String megabytes(long bytes) {
        return String.format(Locale.ROOT, "%.2f MB", bytes / (double) (1 << 20));
    }
}
