package io.polder.cache;

import org.jspecify.annotations.Nullable;

import java.time.Duration;

/**
 * Says for each entry by itself how long it lives. Called by the thread that puts or reads it.
 *
 * @param <K> the type of keys
 * @param <V> the type of values
 */
@FunctionalInterface
public interface Expiry<K, V> {
    /**
     * How long an entry lives that is put now.
     *
     * @return zero or more, and not null; a very long one for an entry that does not expire
     */
    Duration afterWrite(K key, V value);

    /**
     * How long an entry lives from now on that was read; null, which is the default, if that does
     * not matter. A read after which it lives less long than before costs as much as a put. Not
     * called by {@link OffHeapCache#read}, which makes no key and no value.
     */
    @SuppressWarnings("exports") // of an annotation that is there at compile time only
    default @Nullable Duration afterRead(K key, V value) {
        return null;
    }
}
