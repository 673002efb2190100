package io.polder.cache.jcache;

import org.jspecify.annotations.Nullable;

import java.util.Collection;

import javax.cache.Cache;
import javax.cache.integration.CacheWriter;
import javax.cache.integration.CacheWriterException;

/**
 * The writer of a cache, if it writes through. What it throws is wrapped. Thread-safe, if the
 * writer is.
 *
 * @param writer null if nothing is written through
 */
record Writing<K, V>(@Nullable CacheWriter<? super K, ? super V> writer) {
    boolean isOn() {
        return writer != null;
    }

    void write(K key, V value) {
        CacheWriter<? super K, ? super V> used = writer;
        if (used != null) {
            calling(() -> used.write(new StoredEntry<>(key, value)));
        }
    }

    void delete(K key) {
        CacheWriter<? super K, ? super V> used = writer;
        if (used != null) {
            calling(() -> used.delete(key));
        }
    }

    /** Leaves those in the collection that were not written, if it throws. */
    @SuppressWarnings({"unchecked", "rawtypes"}) // the interface names wildcards within wildcards
    void writeAll(Collection<Cache.Entry<K, V>> entries) {
        CacheWriter used = writer;
        if (used != null && !entries.isEmpty()) {
            calling(() -> used.writeAll(entries));
        }
    }

    /** Leaves those in the collection that were not deleted, if it throws. */
    void deleteAll(Collection<K> keys) {
        CacheWriter<? super K, ? super V> used = writer;
        if (used != null && !keys.isEmpty()) {
            calling(() -> used.deleteAll(keys));
        }
    }

    private static void calling(Runnable call) {
        try {
            call.run();
        } catch (CacheWriterException e) {
            throw e;
        } catch (Exception e) {
            throw new CacheWriterException("the writer of a cache has thrown", e);
        }
    }
}
