package io.polder.cache.caffeine;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.LoadingCache;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.cache.CaffeineCacheMetrics;
import io.polder.cache.OffHeapCache;

import org.springframework.cache.CacheManager;
import org.springframework.cache.caffeine.CaffeineCacheManager;

/** The examples of docs/cache.md that need Caffeine. */
public final class CaffeineSnippets {
    private CaffeineSnippets() {}

    /** What is cached, as in the other examples; public, for the proxies that Spring makes. */
    public record User(long id, String name, boolean active) {
        /** One that is active. */
        public User(long id, String name) {
            this(id, name, true);
        }
    }

    // @start region="caffeine"
    static LoadingCache<Long, User> users(OffHeapCache<Long, User> users) {
        return OffHeapCaffeine.asCaffeine(users, id -> new User(id, "user " + id, true));
    }

    // @end

    // @start region="spring"
    @SuppressWarnings("unchecked") // Spring asks for objects; what is of another class is refused
    static CacheManager cacheManager(OffHeapCache<Long, User> users) {
        CaffeineCacheManager manager = new CaffeineCacheManager();
        manager.setAllowNullValues(false); // Spring's object for null is no User
        Cache<?, ?> cache = OffHeapCaffeine.asCaffeine(users);
        manager.registerCustomCache("users", (Cache<Object, Object>) cache);
        return manager;
    }

    // @end

    // @start region="micrometer"
    static Cache<Long, String> monitored(OffHeapCache<Long, String> users, MeterRegistry registry) {
        Cache<Long, String> cache = OffHeapCaffeine.asCaffeine(users);
        return CaffeineCacheMetrics.monitor(registry, cache, "users");
    }
    // @end
}
