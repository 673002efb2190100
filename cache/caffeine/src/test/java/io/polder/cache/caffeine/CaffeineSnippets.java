package io.polder.cache.caffeine;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.LoadingCache;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.cache.CaffeineCacheMetrics;
import io.polder.cache.OffHeapCache;

import org.jspecify.annotations.Nullable;
import org.springframework.cache.CacheManager;
import org.springframework.cache.caffeine.CaffeineCache;
import org.springframework.cache.caffeine.CaffeineCacheManager;
import org.springframework.context.annotation.Bean;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

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
    @Bean
    @SuppressWarnings("unchecked") // Spring asks for objects; what is of another class is refused
    static CacheManager cacheManager(OffHeapCache<Long, User> users) {
        CaffeineCacheManager manager = new CaffeineCacheManager();
        manager.setAllowNullValues(false); // Spring's object for null is no User
        Cache<?, ?> cache = OffHeapCaffeine.asCaffeine(users);
        manager.registerCustomCache("users", (Cache<Object, Object>) cache);
        return manager;
    }

    // @end

    // @start region="futures"
    /** A manager for methods that return a {@code CompletableFuture} or a {@code Mono}, too. */
    static final class FuturesCacheManager extends CaffeineCacheManager {
        @Override
        protected org.springframework.cache.Cache adaptCaffeineCache(
                String name, Cache<Object, Object> cache) {
            return new CaffeineCache(name, cache, isAllowNullValues()) {
                @Override
                public @Nullable CompletableFuture<?> retrieve(Object key) {
                    Object value = lookup(key);
                    return value == null ? null : CompletableFuture.completedFuture(value);
                }

                @Override
                @SuppressWarnings("unchecked") // what was kept under the key
                public <T> CompletableFuture<T> retrieve(
                        Object key, Supplier<CompletableFuture<T>> loader) {
                    T value = (T) lookup(key);
                    return value != null
                            ? CompletableFuture.completedFuture(value)
                            : loader.get().thenApply(loaded -> keep(key, loaded));
                }

                private <T> T keep(Object key, T loaded) {
                    put(key, loaded);
                    return loaded;
                }
            };
        }
    }

    // @end

    // @start region="micrometer"
    static Cache<Long, String> monitored(OffHeapCache<Long, String> users, MeterRegistry registry) {
        Cache<Long, String> cache = OffHeapCaffeine.asCaffeine(users);
        return CaffeineCacheMetrics.monitor(registry, cache, "users");
    }
    // @end
}
