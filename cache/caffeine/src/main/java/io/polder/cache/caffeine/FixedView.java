package io.polder.cache.caffeine;

import com.github.benmanes.caffeine.cache.Policy.CacheEntry;
import com.github.benmanes.caffeine.cache.Policy.FixedExpiration;

import io.polder.cache.CachePolicy;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The time after which all entries expire. An entry knows when it will expire, and its age is
 * counted back from there: one that was put with a longer lifetime of its own has the age 0.
 * Thread-safe.
 *
 * @param after how long entries live
 */
record FixedView<K, V>(CachePolicy<K, V> policy, Duration after) implements FixedExpiration<K, V> {
    @Override
    public OptionalLong ageOf(K key, TimeUnit unit) {
        Optional<Duration> left = policy.expiresIn(key);
        return left.isEmpty()
                ? OptionalLong.empty()
                : OptionalLong.of(Math.max(0, unit.convert(after.minus(left.get()))));
    }

    @Override
    public long getExpiresAfter(TimeUnit unit) {
        return unit.convert(after);
    }

    @Override
    public void setExpiresAfter(long duration, TimeUnit unit) {
        throw new UnsupportedOperationException(
                "how long entries live is said when an off-heap cache is built, or for each entry"
                        + " by an Expiry");
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
