package io.polder.cache.jcache;

import io.polder.MemoryPool;
import io.polder.cache.CacheStats;
import io.polder.cache.Codec;
import io.polder.cache.OffHeapCache;
import io.polder.cache.OffHeapCacheBuilder;
import io.polder.cache.RemovalCause;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import javax.cache.Cache;
import javax.cache.CacheManager;
import javax.cache.configuration.CacheEntryListenerConfiguration;
import javax.cache.configuration.Configuration;
import javax.cache.configuration.Factory;
import javax.cache.integration.CacheLoader;
import javax.cache.integration.CacheWriter;
import javax.cache.integration.CompletionListener;
import javax.cache.processor.EntryProcessor;
import javax.cache.processor.EntryProcessorResult;

/**
 * A cache of JCache in an {@link OffHeapCache}. It checks arguments and counts; {@link Changes}
 * does what concerns one entry, and {@link Bulk} what concerns many.
 *
 * <p>Thread-safe.
 */
final class PolderCache<K, V> implements Cache<K, V> {
    private final PolderCacheManager manager;
    private final String name;
    private final PolderConfiguration<K, V> configuration;
    private final OffHeapCache<Object, V> entries;
    private final Lifetimes<V> lifetimes;
    private final Loading<K, V> loading;
    private final Writing<K, V> writing;
    private final Listeners<K, V> listeners = new Listeners<>();
    private final Changes<K, V> changes;
    private final Bulk<K, V> bulk;
    private final Statistics statistics;
    private final Beans beans = new Beans();
    private volatile boolean closed;

    static <K, V> PolderCache<K, V> create(
            PolderCacheManager manager, String name, PolderConfiguration<K, V> configuration) {
        List<@Nullable Object> made = new ArrayList<>();
        boolean done = false;
        try {
            PolderCache<K, V> cache = new PolderCache<>(manager, name, configuration, made);
            done = true;
            return cache;
        } finally {
            if (!done) {
                Attempts.forEach(made, Closing::close);
            }
        }
    }

    /** Adds to what it has made, which is to be closed if it throws. */
    private PolderCache(
            PolderCacheManager manager,
            String name,
            PolderConfiguration<K, V> configuration,
            List<@Nullable Object> made) {
        this.manager = manager;
        this.name = name;
        this.configuration = configuration;
        this.lifetimes = new Lifetimes<>(configuration.getExpiryPolicyFactory());
        made.add(lifetimes.policy());
        Factory<CacheLoader<K, V>> loader = configuration.getCacheLoaderFactory();
        this.loading =
                new Loading<>(
                        loader == null ? null : PolderConfiguration.make(loader, "the loader"),
                        configuration.isReadThrough());
        made.add(loading.loader());
        Factory<CacheWriter<? super K, ? super V>> writer = configuration.getCacheWriterFactory();
        this.writing =
                new Writing<K, V>(
                        writer == null || !configuration.isWriteThrough()
                                ? null
                                : PolderConfiguration.make(writer, "the writer"));
        made.add(writing.writer());
        made.add((AutoCloseable) listeners::close);
        configuration.getCacheEntryListenerConfigurations().forEach(listeners::add);
        this.entries = entries(manager.getClassLoader());
        made.add(entries);
        this.changes = new Changes<>(entries, lifetimes, writing, listeners, this);
        this.statistics = new Statistics(this::evictions);
        this.bulk = new Bulk<>(entries, changes, loading, writing, statistics);
    }

    private OffHeapCache<Object, V> entries(ClassLoader loader) {
        Serialization serialization = new Serialization(loader, configuration.getSerialFilter());
        Codec<K> keys =
                Codecs.of(configuration.getKeyType(), configuration.getKeyCodec(), serialization);
        OffHeapCacheBuilder<Object, V> builder =
                OffHeapCache.<Object, V>builder()
                        .keyCodec(stored(keys))
                        .valueCodec(
                                Codecs.of(
                                        configuration.getValueType(),
                                        configuration.getValueCodec(),
                                        serialization))
                        .name(name)
                        .recordStats();
        if (!lifetimes.isEternal()) {
            builder.expireAfter(lifetimes)
                    .removalListener(this::expired, EnumSet.of(RemovalCause.EXPIRED))
                    .executor(Runnable::run);
        }
        if (configuration.getMaximumBytes() != 0) {
            builder.maximumBytes(configuration.getMaximumBytes());
        }
        if (configuration.getMaximumEntries() != 0) {
            builder.maximumEntries(configuration.getMaximumEntries());
        }
        Factory<MemoryPool> pool = configuration.getPool();
        if (pool != null) {
            builder.pool(PolderConfiguration.make(pool, "the pool"));
        }
        return builder.build().evictingLarge();
    }

    @SuppressWarnings("unchecked") // Changes gives the cache keys of this type alone
    private Codec<Object> stored(Codec<K> keys) {
        return lifetimes.isEternal() ? (Codec<Object>) keys : new EntryKey.Keys<>(keys);
    }

    private void expired(Object stored, V value, RemovalCause cause) {
        changes.expired(stored, value);
    }

    /** Of values that could not be kept as well: it is as if they had been evicted at once. */
    private long evictions() {
        CacheStats stats = entries.stats();
        return stats.evictions() + stats.refusedPuts();
    }

    PolderConfiguration<K, V> configuration() {
        return configuration;
    }

    /** For tests. */
    Statistics statistics() {
        return statistics;
    }

    private void check(@Nullable Object key) {
        checkOpen();
        Objects.requireNonNull(key, "key");
    }

    private void check(@Nullable Object key, @Nullable Object value) {
        check(key);
        Objects.requireNonNull(value, "value");
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException("the cache is closed: name=" + name);
        }
    }

    @Override
    public @Nullable V get(K key) {
        check(key);
        long begin = statistics.begin();
        V value = changes.get(key);
        statistics.got(value != null, begin);
        return value == null && loading.isReadThrough() ? load(key) : value;
    }

    private @Nullable V load(K key) {
        Change<K, V> change =
                changes.change(
                        key,
                        c -> {
                            V loaded = c.old() == null ? loading.readThrough(key) : null;
                            if (loaded != null) {
                                c.store(loaded);
                            }
                        });
        return change.kind() == Change.Kind.STORE ? change.value() : change.old();
    }

    @Override
    public Map<K, V> getAll(Set<? extends K> keys) {
        checkOpen();
        return bulk.getAll(keys);
    }

    @Override
    public boolean containsKey(K key) {
        check(key);
        return changes.contains(key);
    }

    @Override
    public void loadAll(
            Set<? extends K> keys,
            boolean replaceExistingValues,
            @Nullable CompletionListener completionListener) {
        checkOpen();
        bulk.loadAll(keys, replaceExistingValues, completionListener);
    }

    @Override
    public void put(K key, V value) {
        check(key, value);
        long begin = statistics.begin();
        boolean isPut =
                changes.putPlainly(key, value) || changes.change(key, c -> c.put(value)).isPut();
        statistics.put(isPut ? 1 : 0, begin);
    }

    /** Changes an entry at which the operation has a look. */
    private Change<K, V> look(K key, Change.Decision<K, V> decision) {
        long begin = statistics.begin();
        Change<K, V> change = changes.change(key, decision);
        statistics.got(change.old() != null, begin);
        statistics.put(change.isPut() ? 1 : 0, begin);
        statistics.removed(change.isRemoved() ? 1 : 0, begin);
        return change;
    }

    /** What is done if there is a value; another one was accessed. */
    private Change.Decision<K, V> ifItIs(V expected, Change.Decision<K, V> decision) {
        return change -> {
            if (Objects.deepEquals(change.old(), expected)) {
                decision.decide(change);
            } else if (change.old() != null) {
                change.access();
            }
        };
    }

    @Override
    public @Nullable V getAndPut(K key, V value) {
        check(key, value);
        return look(key, change -> change.put(value)).old();
    }

    @Override
    public void putAll(Map<? extends K, ? extends V> map) {
        checkOpen();
        bulk.putAll(map);
    }

    @Override
    public boolean putIfAbsent(K key, V value) {
        check(key, value);
        return look(
                        key,
                        change -> {
                            if (change.old() == null) {
                                change.put(value);
                            }
                        })
                .isPut();
    }

    @Override
    public boolean remove(K key) {
        check(key);
        long begin = statistics.begin();
        boolean removed =
                changes.isWatched()
                        ? changes.change(key, Change::remove).isRemoved()
                        : changes.removePlainly(key);
        statistics.removed(removed ? 1 : 0, begin);
        return removed;
    }

    @Override
    public boolean remove(K key, V oldValue) {
        check(key, oldValue);
        return look(key, ifItIs(oldValue, Change::remove)).isRemoved();
    }

    @Override
    public @Nullable V getAndRemove(K key) {
        check(key);
        return look(key, Change::remove).old();
    }

    @Override
    public boolean replace(K key, V oldValue, V newValue) {
        check(key, oldValue);
        Objects.requireNonNull(newValue, "newValue");
        return look(key, ifItIs(oldValue, change -> change.put(newValue))).kind()
                == Change.Kind.PUT;
    }

    @Override
    public boolean replace(K key, V value) {
        return getAndReplace(key, value) != null;
    }

    @Override
    public @Nullable V getAndReplace(K key, V value) {
        check(key, value);
        return look(
                        key,
                        change -> {
                            if (change.old() != null) {
                                change.put(value);
                            }
                        })
                .old();
    }

    @Override
    public void removeAll(Set<? extends K> keys) {
        checkOpen();
        bulk.removeAll(keys);
    }

    @Override
    public void removeAll() {
        checkOpen();
        bulk.removeAll();
    }

    @Override
    public void clear() {
        checkOpen();
        entries.invalidateAll();
    }

    @Override
    public <C extends Configuration<K, V>> C getConfiguration(Class<C> clazz) {
        return Unwrap.as(configuration, clazz);
    }

    @Override
    public <T> @Nullable T invoke(
            K key, EntryProcessor<K, V, T> entryProcessor, Object... arguments) {
        check(key);
        Objects.requireNonNull(entryProcessor, "entryProcessor");
        return new Invocation<>(changes, loading, statistics, entryProcessor, arguments).on(key);
    }

    @Override
    public <T> Map<K, EntryProcessorResult<T>> invokeAll(
            Set<? extends K> keys, EntryProcessor<K, V, T> entryProcessor, Object... arguments) {
        checkOpen();
        Objects.requireNonNull(entryProcessor, "entryProcessor");
        for (K key : keys) {
            Objects.requireNonNull(key, "key");
        }
        Invocation<K, V, T> invocation =
                new Invocation<>(changes, loading, statistics, entryProcessor, arguments);
        Map<K, EntryProcessorResult<T>> results = HashMap.newHashMap(keys.size());
        for (K key : keys) {
            EntryProcessorResult<T> result = invocation.resultOn(key);
            if (result != null) {
                results.put(key, result);
            }
        }
        return results;
    }

    @Override
    public String getName() {
        return name;
    }

    @Override
    public CacheManager getCacheManager() {
        return manager;
    }

    @Override
    public void close() {
        boolean isFirst;
        synchronized (statistics) {
            isFirst = !closed;
            closed = true;
        }
        if (!isFirst) {
            entries.close(); // where that was refused, or cut short by an error
            return;
        }
        Attempts.all(
                () -> beans.setConfiguration(this, configuration, false),
                () -> beans.setStatistics(this, statistics, false),
                () -> manager.forget(this), // so that another one has the names of the beans
                entries::close,
                listeners::close,
                () -> Closing.close(loading.loader()),
                () -> Closing.close(writing.writer()),
                () -> Closing.close(lifetimes.policy()));
    }

    @Override
    public boolean isClosed() {
        return closed;
    }

    @Override
    public <T> T unwrap(Class<T> clazz) {
        return Unwrap.as(clazz == OffHeapCache.class ? entries : this, clazz);
    }

    /** What the program gave runs with no lock held: it may wait for others. */
    @Override
    public void registerCacheEntryListener(CacheEntryListenerConfiguration<K, V> added) {
        checkOpen();
        synchronized (configuration) {
            configuration.addCacheEntryListenerConfiguration(added); // refuses a second one
        }
        boolean isKept = false;
        try {
            listeners.add(added);
            isKept = isRegistered(added); // it may have been deregistered meanwhile
        } finally {
            if (!isKept) { // the program may try again
                remove(added);
            }
        }
    }

    @Override
    public void deregisterCacheEntryListener(CacheEntryListenerConfiguration<K, V> removed) {
        checkOpen();
        remove(removed);
    }

    private boolean isRegistered(CacheEntryListenerConfiguration<K, V> added) {
        synchronized (configuration) {
            for (Object each : configuration.getCacheEntryListenerConfigurations()) {
                if (each.equals(added)) {
                    return true;
                }
            }
            return false;
        }
    }

    private void remove(CacheEntryListenerConfiguration<K, V> removed) {
        synchronized (configuration) {
            configuration.removeCacheEntryListenerConfiguration(removed);
        }
        listeners.remove(removed);
    }

    @Override
    public Iterator<Cache.Entry<K, V>> iterator() {
        checkOpen();
        return new EntryIterator<>(
                entries.asMap().entrySet().iterator(), changes, this::accessed, this::removeLast);
    }

    private void accessed(K key) {
        long begin = statistics.begin();
        if (lifetimes.mindsAccess()) {
            V _ = changes.get(key);
        }
        statistics.got(true, begin);
    }

    private void removeLast(K key) {
        boolean _ = remove(key);
    }

    void setManagementEnabled(boolean enabled) {
        checkOpen();
        synchronized (beans) { // of two threads one is the last
            configuration.setManagementEnabled(enabled);
            beans.setConfiguration(this, configuration, enabled);
        }
    }

    void setStatisticsEnabled(boolean enabled) {
        checkOpen();
        synchronized (beans) {
            configuration.setStatisticsEnabled(enabled);
            statistics.setOn(enabled);
            beans.setStatistics(this, statistics, enabled);
        }
    }
}
