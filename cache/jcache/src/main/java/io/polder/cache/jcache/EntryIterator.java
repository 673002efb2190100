package io.polder.cache.jcache;

import org.jspecify.annotations.Nullable;

import java.util.Iterator;
import java.util.Map;
import java.util.function.Consumer;

import javax.cache.Cache;
import javax.cache.CacheException;

/**
 * The entries of a cache, each as it was when the iterator came to it. To be given one is an
 * access.
 *
 * <p>For one thread.
 */
final class EntryIterator<K, V> implements Iterator<Cache.Entry<K, V>> {
    /** What a cache says that is closed, also if that was in the middle of an operation. */
    private static final String CLOSED = "the cache is closed";

    private final Iterator<Map.Entry<Object, V>> stored;
    private final Changes<K, V> changes;
    private final Consumer<K> accessed;
    private final Consumer<K> remover;
    private @Nullable K last;

    EntryIterator(
            Iterator<Map.Entry<Object, V>> stored,
            Changes<K, V> changes,
            Consumer<K> accessed,
            Consumer<K> remover) {
        this.stored = stored;
        this.changes = changes;
        this.accessed = accessed;
        this.remover = remover;
    }

    @Override
    public boolean hasNext() {
        return stored.hasNext();
    }

    /** After a {@link CacheException} the next call goes on with the next entry. */
    @Override
    public Cache.Entry<K, V> next() {
        last = null;
        Map.Entry<Object, V> entry = next(stored);
        K key = changes.key(entry.getKey());
        accessed.accept(key);
        last = key;
        return new StoredEntry<>(key, entry.getValue());
    }

    /**
     * The next one of an iterator of the cache, by which entries are stored.
     *
     * @throws CacheException that has the key, if it cannot be read
     */
    static <T> T next(Iterator<T> stored) {
        try {
            return stored.next();
        } catch (IllegalStateException thrown) {
            if (CLOSED.equals(thrown.getMessage())) {
                throw thrown;
            }
            throw new CacheException(thrown.getMessage(), thrown);
        }
    }

    @Override
    public void remove() {
        K key = last;
        if (key == null) {
            throw new IllegalStateException("an entry must have been returned, and not removed");
        }
        last = null;
        remover.accept(key);
    }
}
