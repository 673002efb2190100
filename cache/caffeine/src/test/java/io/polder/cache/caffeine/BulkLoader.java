package io.polder.cache.caffeine;

import com.github.benmanes.caffeine.cache.CacheLoader;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Loads many keys at once, and keeps a record of which. */
final class BulkLoader implements CacheLoader<Long, String> {
    final List<Set<Long>> asked = new ArrayList<>();

    @Override
    public String load(Long key) {
        return "of one";
    }

    @Override
    public Map<Long, String> loadAll(Set<? extends Long> keys) {
        asked.add(Set.copyOf(keys));
        Map<Long, String> loaded = new HashMap<>();
        keys.forEach(key -> loaded.put(key, "of many"));
        return loaded;
    }
}
