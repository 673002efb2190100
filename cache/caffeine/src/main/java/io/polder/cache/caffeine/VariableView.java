package io.polder.cache.caffeine;

import com.github.benmanes.caffeine.cache.Policy.CacheEntry;
import com.github.benmanes.caffeine.cache.Policy.VarExpiration;

import io.polder.cache.CachePolicy;
import io.polder.cache.OffHeapCache;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

/** When each entry by itself expires, of a cache that was built with an Expiry. Thread-safe. */
final class VariableView<K, V> implements VarExpiration<K, V> {
    private final OffHeapCache<K, V> cache;
    private final CachePolicy<K, V> policy;
    private final Consumer<? super K> changed;

    VariableView(OffHeapCache<K, V> cache, Consumer<? super K> changed) {
        this.cache = cache;
        this.changed = changed;
        this.policy = cache.policy();
    }

    private static Duration lifetime(long duration, TimeUnit unit) {
        return Duration.ofNanos(unit.toNanos(duration)); // of a long at most
    }

    @Override
    public OptionalLong getExpiresAfter(K key, TimeUnit unit) {
        Optional<Duration> left = policy.expiresIn(key);
        return left.isEmpty() ? OptionalLong.empty() : OptionalLong.of(unit.convert(left.get()));
    }

    @Override
    public void setExpiresAfter(K key, long duration, TimeUnit unit) {
        policy.setExpiresIn(key, lifetime(duration, unit));
    }

    @Override
    public @Nullable V putIfAbsent(K key, V value, long duration, TimeUnit unit) {
        return cache.putIfAbsent(key, value, lifetime(duration, unit));
    }

    @Override
    public @Nullable V put(K key, V value, long duration, TimeUnit unit) {
        Objects.requireNonNull(value, "value");
        AtomicReference<@Nullable V> before = new AtomicReference<>();
        V _ =
                cache.compute(
                        key,
                        (_, known) -> {
                            before.set(known);
                            return value;
                        },
                        lifetime(duration, unit));
        changed.accept(key);
        return before.get();
    }

    @Override
    public @Nullable V compute(
            K key,
            BiFunction<? super K, ? super V, ? extends @Nullable V> function,
            Duration duration) {
        Objects.requireNonNull(function, "function");
        V computed =
                cache.compute(
                        key,
                        (each, known) -> {
                            V next = function.apply(each, known);
                            if (next == null) {
                                changed.accept(key); // before it is removed
                            }
                            return next;
                        },
                        duration);
        changed.accept(key);
        return computed;
    }

    @Override
    public Map<K, V> oldest(int limit) {
        return policy.oldest(limit);
    }

    @Override
    public <T> T oldest(Function<Stream<CacheEntry<K, V>>, T> function) {
        return function.apply(EntryView.stream(policy, policy.oldest(Integer.MAX_VALUE)));
    }

    @Override
    public Map<K, V> youngest(int limit) {
        return policy.youngest(limit);
    }

    @Override
    public <T> T youngest(Function<Stream<CacheEntry<K, V>>, T> function) {
        return function.apply(EntryView.stream(policy, policy.youngest(Integer.MAX_VALUE)));
    }
}
