package io.polder.lab.experiments.cache;

import org.jspecify.annotations.Nullable;

/** A cache of bytes, of whomever. Any thread may use it, but for {@link #close}. */
public interface CacheUnderTest extends AutoCloseable {
    /** The value of a key, or null if it has none. */
    byte @Nullable [] get(long key);

    /** Sets the value of a key; the array is the cache's from now on. */
    void put(long key, byte[] value);

    /** Whether a key has a value, without counting as a read if the cache can tell. */
    boolean contains(long key);

    /** Removes the value of a key, if it has one. */
    void remove(long key);

    @Override
    void close();
}
