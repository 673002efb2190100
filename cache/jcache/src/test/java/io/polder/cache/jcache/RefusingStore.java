package io.polder.cache.jcache;

import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiPredicate;

import javax.cache.Cache;
import javax.cache.configuration.Factory;
import javax.cache.integration.CacheWriter;

/** A store of a program, which refuses some entries, and of many writes the others. */
final class RefusingStore<K, V> implements CacheWriter<K, V> {
    final Map<K, V> values = new ConcurrentHashMap<>();
    private final BiPredicate<K, V> refused;

    RefusingStore(BiPredicate<K, V> refused) {
        this.refused = refused;
    }

    /** The configuration, with this as what is written through to. */
    PolderConfiguration<K, V> of(PolderConfiguration<K, V> configuration) {
        Factory<CacheWriter<K, V>> factory = () -> this;
        configuration.setCacheWriterFactory(factory).setWriteThrough(true);
        return configuration;
    }

    @Override
    public void write(Cache.Entry<? extends K, ? extends V> entry) {
        if (refused.test(entry.getKey(), entry.getValue())) {
            throw new IllegalStateException("refused by the test");
        }
        values.put(entry.getKey(), entry.getValue());
    }

    @Override
    public void writeAll(Collection<Cache.Entry<? extends K, ? extends V>> entries) {
        entries.removeIf(
                each -> {
                    if (refused.test(each.getKey(), each.getValue())) {
                        return false;
                    }
                    write(each);
                    return true;
                });
        if (!entries.isEmpty()) {
            throw new IllegalStateException("refused by the test");
        }
    }

    @Override
    public void delete(Object key) {
        values.remove(key);
    }

    @Override
    public void deleteAll(Collection<?> keys) {
        keys.forEach(values::remove);
        keys.clear();
    }
}
