package io.polder.cache.jcache;

import io.polder.cache.OffHeapCache;

import org.jspecify.annotations.Nullable;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import javax.cache.Cache;
import javax.cache.integration.CacheLoaderException;
import javax.cache.integration.CompletionListener;

/**
 * What concerns many entries: one after the other is changed, but a loader and a writer are called
 * for all of them. While a writer is, the locks of all these keys are held.
 *
 * <p>Failure: what a writer leaves in its collection when it throws is not changed in the cache.
 * All that it has written is, also if a listener throws or a value cannot be stored.
 *
 * <p>Thread-safe.
 */
final class Bulk<K, V> {
    private final OffHeapCache<Object, V> entries;
    private final Changes<K, V> changes;
    private final Loading<K, V> loading;
    private final Writing<K, V> writing;
    private final Statistics statistics;

    Bulk(
            OffHeapCache<Object, V> entries,
            Changes<K, V> changes,
            Loading<K, V> loading,
            Writing<K, V> writing,
            Statistics statistics) {
        this.entries = entries;
        this.changes = changes;
        this.loading = loading;
        this.writing = writing;
        this.statistics = statistics;
    }

    private static void check(Collection<?> keys) {
        for (Object key : keys) {
            Objects.requireNonNull(key, "key");
        }
    }

    Map<K, V> getAll(Set<? extends K> keys) {
        check(keys);
        Map<K, V> found = HashMap.newHashMap(keys.size());
        Set<K> missing = new LinkedHashSet<>();
        for (K key : keys) {
            long begin = statistics.begin();
            V value = changes.get(key);
            statistics.got(value != null, begin);
            if (value != null) {
                found.put(key, value);
            } else {
                missing.add(key);
            }
        }
        if (loading.isReadThrough() && !missing.isEmpty()) {
            addLoaded(missing, found);
        }
        return found;
    }

    private void addLoaded(Set<K> missing, Map<K, V> found) {
        Map<K, V> loaded = new HashMap<>();
        loading.loadAll(missing)
                .forEach(
                        (key, value) -> {
                            if (value != null) {
                                V old = keep(key, value, false).old();
                                loaded.put(key, old == null ? value : old);
                            }
                        });
        Map<ByteBuffer, V> ofBytes = new HashMap<>();
        if (!loaded.keySet().containsAll(missing)) { // it may have other objects that are equal
            loaded.forEach((key, value) -> ofBytes.put(changes.bytes(key), value));
        }
        for (K key : missing) {
            V value = loaded.get(key);
            V last = value == null && !ofBytes.isEmpty() ? ofBytes.get(changes.bytes(key)) : value;
            if (last != null) {
                found.put(key, last);
            }
        }
    }

    /** Keeps a loaded value, but not in the place of another one, unless it replaces that. */
    private Change<K, V> keep(K key, V loaded, boolean replaces) {
        return changes.change(
                key,
                c -> {
                    if (c.old() == null || replaces) {
                        c.store(loaded);
                    }
                });
    }

    void loadAll(Set<? extends K> keys, boolean replaces, @Nullable CompletionListener completion) {
        check(keys);
        Set<K> wanted = new LinkedHashSet<>(keys);
        Thread _ =
                Thread.ofVirtual()
                        .name("polder-jcache-loader")
                        .start(() -> loadNow(wanted, replaces, completion));
    }

    private void loadNow(Set<K> keys, boolean replaces, @Nullable CompletionListener completion) {
        try {
            if (!replaces) {
                keys.removeIf(changes::contains);
            }
            long begin = statistics.begin();
            Map<K, V> loaded = keys.isEmpty() ? Map.of() : loading.loadAll(keys);
            loaded.forEach(
                    (key, value) -> {
                        if (value != null) {
                            boolean isPut = keep(key, value, replaces).isPut();
                            statistics.put(isPut ? 1 : 0, begin);
                        }
                    });
        } catch (Throwable t) { // those who wait for the listener must not wait without end
            if (completion != null) {
                completion.onException(
                        t instanceof Exception e
                                ? e
                                : new CacheLoaderException("the loader of a cache has thrown", t));
            } else if (t instanceof Error e) {
                throw e;
            }
            return;
        }
        if (completion != null) {
            completion.onCompletion();
        }
    }

    void putAll(Map<? extends K, ? extends V> map) {
        List<Cache.Entry<K, V>> all = new ArrayList<>(map.size());
        map.forEach(
                (key, value) ->
                        all.add(
                                new StoredEntry<>(
                                        Objects.requireNonNull(key, "key"),
                                        Objects.requireNonNull(value, "value"))));
        if (!writing.isOn()) {
            all.forEach(this::put);
            return;
        }
        changes.locks()
                .withAll(
                        all.stream().map(Cache.Entry::getKey).toList(), // others may change it
                        () -> {
                            List<Cache.Entry<K, V>> failed = new ArrayList<>(all);
                            Attempts.all(
                                    () -> {
                                        writing.writeAll(failed);
                                        failed.clear();
                                    },
                                    () -> putWritten(all, failed));
                        });
    }

    private void put(Cache.Entry<K, V> entry) {
        long begin = statistics.begin();
        boolean isPut =
                changes.putPlainly(entry.getKey(), entry.getValue())
                        || changes.change(entry.getKey(), c -> c.put(entry.getValue())).isPut();
        statistics.put(isPut ? 1 : 0, begin);
    }

    private void putWritten(List<Cache.Entry<K, V>> all, List<Cache.Entry<K, V>> failed) {
        Set<Object> left = new HashSet<>();
        failed.forEach(each -> left.add(each.getKey()));
        List<Cache.Entry<K, V>> written = new ArrayList<>(all);
        written.removeIf(each -> left.contains(each.getKey()));
        Attempts.forEach(
                written,
                each -> {
                    long begin = statistics.begin();
                    Change<K, V> change =
                            changes.change(each.getKey(), c -> c.store(each.getValue()));
                    statistics.put(change.isPut() ? 1 : 0, begin);
                });
    }

    void removeAll(Set<? extends K> keys) {
        check(keys);
        Set<K> all = new LinkedHashSet<>(keys);
        if (!writing.isOn()) {
            all.forEach(this::drop);
            return;
        }
        changes.locks()
                .withAll(
                        all,
                        () -> {
                            Set<K> failed = new LinkedHashSet<>(all);
                            Attempts.all(
                                    () -> {
                                        writing.deleteAll(failed);
                                        failed.clear();
                                    },
                                    () -> dropWritten(all, failed));
                        });
    }

    private void dropWritten(Set<K> all, Set<K> failed) {
        Set<K> deleted = new LinkedHashSet<>(all);
        deleted.removeAll(failed);
        Attempts.forEach(deleted, this::drop);
    }

    private void drop(K key) {
        long begin = statistics.begin();
        boolean removed =
                changes.isWatched()
                        ? changes.change(key, Change::drop).isRemoved()
                        : changes.removePlainly(key);
        statistics.removed(removed ? 1 : 0, begin);
    }

    /** Removes what is there when this begins. */
    void removeAll() {
        if (!changes.isWatched() && !statistics.isOn()) {
            entries.invalidateAll();
            return;
        }
        Set<K> keys = new LinkedHashSet<>();
        Iterator<Object> stored = entries.asMap().keySet().iterator();
        while (stored.hasNext()) {
            keys.add(changes.key(EntryIterator.next(stored)));
        }
        removeAll(keys);
    }
}
