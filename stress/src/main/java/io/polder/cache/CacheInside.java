package io.polder.cache;

import io.polder.MemoryPool;

/** What programs cannot ask a cache for. */
public final class CacheInside {
    private CacheInside() {}

    /**
     * Opens a cache.
     *
     * @param pool where its memory comes from
     * @param collide whether all keys have the same hash, and so are in one bucket
     */
    public static OffHeapCache<Long, String> open(MemoryPool pool, boolean collide) {
        return OffHeapCache.<Long, String>builder()
                .keyCodec(Codec.longs())
                .valueCodec(Codec.strings())
                .hash(collide ? (_, _) -> 5 : Hash.seeded(1))
                .pool(pool)
                .build();
    }
}
