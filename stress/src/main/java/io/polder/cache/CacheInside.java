package io.polder.cache;

import io.polder.MemoryPool;

import org.jspecify.annotations.Nullable;

import java.time.Duration;

/** What programs cannot ask a cache for. */
public final class CacheInside {
    /** How many lines the index of a small cache has. */
    public static final long LINES_AT_FIRST = Lines.LINES_PER_CHUNK;

    /** How many lines an index has before it grows by a page. */
    public static final long LINES_BEFORE_PAGES = 16L * Lines.LINES_PER_CHUNK;

    private CacheInside() {}

    /**
     * Opens a cache.
     *
     * @param pool where its memory comes from
     * @param collide whether all keys have the same hash, and so are in one bucket
     * @param lifetime for how long an entry lives that is not read; null for ever
     */
    public static OffHeapCache<Long, String> open(
            MemoryPool pool, boolean collide, @Nullable Duration lifetime) {
        OffHeapCacheBuilder<Long, String> builder =
                OffHeapCache.<Long, String>builder()
                        .keyCodec(Codec.longs())
                        .valueCodec(Codec.strings())
                        .hash(collide ? (_, _) -> 5 : Hash.seeded(1))
                        .pool(pool);
        return (lifetime == null ? builder : builder.expireAfterAccess(lifetime)).build();
    }

    /** Has an index at least so many lines, as if it had as many entries. */
    public static void growIndex(OffHeapCache<Long, String> cache, long lines) {
        cache.store().lines.ensureUpper(lines);
    }
}
