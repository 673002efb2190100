package io.polder.cache.caffeine;

import com.github.benmanes.caffeine.cache.Policy.CacheEntry;
import com.github.benmanes.caffeine.cache.Policy.Eviction;

import io.polder.cache.CachePolicy;
import io.polder.cache.OffHeapCache;

import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.stream.Stream;

/** Limits, and what leaves next: in bytes if there is a limit in bytes. Thread-safe. */
final class EvictionView<K, V> implements Eviction<K, V> {
    /** As of Caffeine, where none is no maximum: a cache has the kind that it was built with. */
    private static final long MAXIMUM_MAX = Long.MAX_VALUE - Integer.MAX_VALUE;

    private final OffHeapCache<K, V> cache;
    private final CachePolicy<K, V> policy;

    EvictionView(OffHeapCache<K, V> cache) {
        this.cache = cache;
        this.policy = cache.policy();
    }

    @Override
    public boolean isWeighted() {
        return policy.maximumBytes() != Long.MAX_VALUE;
    }

    @Override
    public OptionalInt weightOf(K key) {
        OptionalLong bytes = policy.bytesOf(key);
        return isWeighted() && bytes.isPresent()
                ? OptionalInt.of(EntryView.weight(bytes.getAsLong()))
                : OptionalInt.empty();
    }

    @Override
    public OptionalLong weightedSize() {
        return isWeighted() ? OptionalLong.of(cache.stats().heldBytes()) : OptionalLong.empty();
    }

    @Override
    public long getMaximum() {
        return isWeighted() ? policy.maximumBytes() : policy.maximumEntries();
    }

    @Override
    public void setMaximum(long maximum) {
        long limit = Math.min(maximum, MAXIMUM_MAX);
        if (isWeighted()) {
            policy.setMaximumBytes(limit);
        } else {
            policy.setMaximumEntries(limit);
        }
    }

    @Override
    public Map<K, V> coldest(int limit) {
        return policy.coldest(limit);
    }

    @Override
    public Map<K, V> coldestWeighted(long weightLimit) {
        return coldest(entries -> upTo(weightLimit, entries));
    }

    @Override
    public <T> T coldest(Function<Stream<CacheEntry<K, V>>, T> function) {
        return function.apply(EntryView.stream(policy, policy.coldest(Integer.MAX_VALUE)));
    }

    @Override
    public Map<K, V> hottest(int limit) {
        return policy.hottest(limit);
    }

    @Override
    public Map<K, V> hottestWeighted(long weightLimit) {
        return hottest(entries -> upTo(weightLimit, entries));
    }

    @Override
    public <T> T hottest(Function<Stream<CacheEntry<K, V>>, T> function) {
        return function.apply(EntryView.stream(policy, policy.hottest(Integer.MAX_VALUE)));
    }

    /** The first entries, as many as weigh no more than this together. */
    private static <K, V> Map<K, V> upTo(long weightLimit, Stream<CacheEntry<K, V>> entries) {
        if (weightLimit < 0) {
            throw new IllegalArgumentException(
                    "weightLimit must be 0 or more: weightLimit=" + weightLimit);
        }
        Map<K, V> found = new LinkedHashMap<>();
        long left = weightLimit;
        for (Iterator<CacheEntry<K, V>> each = entries.iterator(); each.hasNext(); ) {
            CacheEntry<K, V> entry = each.next();
            left -= entry.weight();
            if (left < 0) {
                break;
            }
            found.put(entry.getKey(), entry.getValue());
        }
        return Collections.unmodifiableMap(found);
    }
}
