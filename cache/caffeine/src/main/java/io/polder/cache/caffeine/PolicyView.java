package io.polder.cache.caffeine;

import com.github.benmanes.caffeine.cache.Policy;

import io.polder.cache.CachePolicy;
import io.polder.cache.OffHeapCache;

import org.jspecify.annotations.Nullable;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** What Caffeine's policy can be asked of an off-heap cache. Thread-safe. */
final class PolicyView<K, V> implements Policy<K, V> {
    private final OffHeapCache<K, V> cache;
    private final CachePolicy<K, V> policy;
    private final Supplier<Map<K, CompletableFuture<V>>> refreshes;
    private final Consumer<? super K> changed;

    /**
     * @param changed is told of keys whose entries it has changed
     */
    PolicyView(
            OffHeapCache<K, V> cache,
            Supplier<Map<K, CompletableFuture<V>>> refreshes,
            Consumer<? super K> changed) {
        this.cache = cache;
        this.policy = cache.policy();
        this.refreshes = refreshes;
        this.changed = changed;
    }

    @Override
    public boolean isRecordingStats() {
        return policy.isRecordingStats();
    }

    @Override
    public @Nullable V getIfPresentQuietly(K key) {
        return policy.getIfPresentQuietly(key);
    }

    @Override
    public @Nullable CacheEntry<K, V> getEntryIfPresentQuietly(K key) {
        V value = policy.getIfPresentQuietly(key);
        return value == null ? null : EntryView.of(policy, key, value);
    }

    @Override
    public Map<K, CompletableFuture<V>> refreshes() {
        return refreshes.get();
    }

    @Override
    public Optional<Eviction<K, V>> eviction() {
        boolean limited =
                policy.maximumBytes() != Long.MAX_VALUE
                        || policy.maximumEntries() != Long.MAX_VALUE;
        return limited ? Optional.of(new EvictionView<>(cache)) : Optional.empty();
    }

    @Override
    public Optional<FixedExpiration<K, V>> expireAfterAccess() {
        return policy.expireAfterAccess().map(after -> new FixedView<>(policy, after));
    }

    @Override
    public Optional<FixedExpiration<K, V>> expireAfterWrite() {
        return policy.expireAfterWrite().map(after -> new FixedView<>(policy, after));
    }

    @Override
    public Optional<VarExpiration<K, V>> expireVariably() {
        return policy.expiresEach()
                ? Optional.of(new VariableView<>(cache, changed))
                : Optional.empty();
    }

    @Override
    public Optional<FixedRefresh<K, V>> refreshAfterWrite() {
        return Optional.empty();
    }
}
