package io.polder.cache.caffeine;

import com.github.benmanes.caffeine.cache.Policy.CacheEntry;

import io.polder.cache.CachePolicy;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * An entry as it was at a moment.
 *
 * @param weight the bytes that it takes if the cache has a limit in bytes, else 1
 * @param expiresAt nanoseconds of {@link System#nanoTime}, as are the other times
 */
record EntryView<K, V>(K key, V value, int weight, long expiresAt, long snapshotAt)
        implements CacheEntry<K, V> {
    /** Of a key with this value; null if it has none any more. */
    static <K, V> @Nullable EntryView<K, V> of(CachePolicy<K, V> policy, K key, V value) {
        OptionalLong bytes = policy.bytesOf(key);
        Optional<Duration> lifetime = policy.expiresIn(key);
        if (bytes.isEmpty() || lifetime.isEmpty()) {
            return null;
        }
        boolean weighted = policy.maximumBytes() != Long.MAX_VALUE;
        long now = System.nanoTime();
        return new EntryView<>(
                key,
                value,
                weighted ? weight(bytes.getAsLong()) : 1,
                now + lifetime.get().toNanos(),
                now);
    }

    static int weight(long bytes) {
        return (int) Math.min(bytes, Integer.MAX_VALUE);
    }

    /** Those of entries that are still there, in their order. */
    static <K, V> Stream<CacheEntry<K, V>> stream(CachePolicy<K, V> policy, Map<K, V> entries) {
        return entries.entrySet().stream()
                .map(entry -> of(policy, entry.getKey(), entry.getValue()))
                .filter(Objects::nonNull)
                .map(entry -> entry);
    }

    @Override
    public K getKey() {
        return key;
    }

    @Override
    public V getValue() {
        return value;
    }

    @Override
    public V setValue(V other) {
        throw new UnsupportedOperationException("an entry of that moment cannot be changed");
    }

    @Override
    public long refreshableAt() {
        return snapshotAt + Long.MAX_VALUE;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Map.Entry<?, ?> entry
                && key.equals(entry.getKey())
                && value.equals(entry.getValue());
    }

    @Override
    public int hashCode() {
        return key.hashCode() ^ value.hashCode();
    }
}
