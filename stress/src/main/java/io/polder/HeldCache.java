package io.polder;

import io.polder.cache.OffHeapCache;
import io.polder.stress.everywhere.Require;

import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * A cache that a program has, and which values its keys may have: one, or, while a change was cut
 * short, the one before, the next one, or none.
 */
final class HeldCache {
    private static final int ROUNDS = 3;

    /** How many of them are changed by others afterwards. */
    private static final int KEYS = 40;

    private final OffHeapCache<Long, String> cache;
    private final Map<Long, Set<@Nullable String>> values = new HashMap<>();
    private long written;
    private boolean closing;

    HeldCache(OffHeapCache<Long, String> cache) {
        this.cache = cache;
    }

    OffHeapCache<Long, String> cache() {
        return cache;
    }

    /** A value that no other key has, nor had. */
    private String next(long key, int length) {
        written++;
        return key + "." + written + "." + "v".repeat(length);
    }

    void put(long key, int length) {
        String value = next(key, length);
        begin(key, value);
        cache.put(key, value);
        end(key, value);
    }

    /** Puts a value that lives twice as long as the others, until it is read. */
    void putForLonger(long key, int length) {
        String value = next(key, length);
        begin(key, value);
        cache.put(key, value, CacheOperations.LIFETIME.multipliedBy(2));
        end(key, value);
    }

    void replace(long key, int length) {
        String value = next(key, length);
        begin(key, value);
        String known = cache.getIfPresent(key);
        if (known == null || !cache.asMap().replace(key, known, value)) {
            cache.put(key, value);
        }
        end(key, value);
    }

    void invalidate(long key) {
        begin(key, null);
        cache.invalidate(key);
        end(key, null);
    }

    void invalidateAll() {
        values.keySet().forEach(key -> begin(key, null));
        cache.invalidateAll();
        values.keySet().forEach(key -> end(key, null));
    }

    private void begin(long key, @Nullable String value) {
        Set<@Nullable String> may = values.computeIfAbsent(key, _ -> new HashSet<>());
        may.add(value);
        may.add(null);
    }

    private void end(long key, @Nullable String value) {
        Set<@Nullable String> only = new HashSet<>();
        only.add(value);
        values.put(key, only);
    }

    /** Checks the value of each key, and those that an iterator shows. */
    void verify() {
        if (closing) {
            return;
        }
        boolean evicts = cache.stats().evictions() > 0;
        values.forEach(
                (key, may) -> {
                    String seen = cache.getIfPresent(key);
                    Require.that(may.contains(seen) || (seen == null && evicts), key + " " + seen);
                });
        cache.asMap()
                .forEach(
                        (key, seen) -> {
                            Set<@Nullable String> may = values.get(key);
                            Require.that(may != null && may.contains(seen), key + " " + seen);
                        });
    }

    /** Changes all values again and again: each key has its own one then. */
    void useEverything() {
        if (closing) {
            return;
        }
        for (int round = 0; round < ROUNDS; round++) {
            for (long key : values.keySet().stream().limit(KEYS).toList()) {
                put(key, (int) (written % 40));
                if ((key + round) % 4 == 0) {
                    invalidate(key);
                    Require.that(cache.getIfPresent(key) == null, "it was removed");
                    put(key, 10);
                }
            }
            verify();
        }
        invalidateAll();
        verify();
        Require.that(!cache.asMap().keySet().iterator().hasNext(), "all were removed");
    }

    void close() {
        closing = true;
        cache.close();
    }
}
