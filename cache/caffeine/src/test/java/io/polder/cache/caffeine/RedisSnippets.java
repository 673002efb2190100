package io.polder.cache.caffeine;

import io.lettuce.core.TrackingArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.support.caching.CacheAccessor;
import io.lettuce.core.support.caching.CacheFrontend;
import io.lettuce.core.support.caching.ClientSideCaching;
import io.polder.cache.OffHeapCache;

/** The example of docs/cache.md that needs Lettuce, and no Caffeine. */
final class RedisSnippets {
    private RedisSnippets() {}

    // @start region="redis"
    static CacheFrontend<String, String> nearTier(
            OffHeapCache<String, String> near, StatefulRedisConnection<String, String> redis) {
        return ClientSideCaching.enable(
                CacheAccessor.forMap(near.asMap()), redis, TrackingArgs.Builder.enabled());
    }
    // @end
}
