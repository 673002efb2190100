package io.polder.cache.jcache;

import io.polder.cache.Codec;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.time.Duration;

/**
 * A key of a cache whose entries expire, and what the operation that has it in hand says of how
 * long the entry lives. The same object comes back to {@link Lifetimes} when the cache asks.
 *
 * <p>For one operation of one thread.
 */
final class EntryKey<K> {
    private final K key;

    /** Whether this is an access of which the expiry policy is told. */
    private final boolean isAccess;

    /** From the next put on. */
    private Duration lifetime = Lifetimes.FOREVER;

    EntryKey(K key, boolean isAccess) {
        this.key = key;
        this.isAccess = isAccess;
    }

    K key() {
        return key;
    }

    boolean isAccess() {
        return isAccess;
    }

    Duration lifetime() {
        return lifetime;
    }

    void setLifetime(Duration next) {
        lifetime = next;
    }

    /** Writes the key alone. */
    static final class Keys<K> implements Codec<Object> {
        private final Codec<K> keys;

        Keys(Codec<K> keys) {
            this.keys = keys;
        }

        @SuppressWarnings("unchecked") // the cache is given keys of this type alone
        private K key(Object key) {
            return ((EntryKey<K>) key).key;
        }

        @Override
        public long size(Object key) {
            return keys.size(key(key));
        }

        @Override
        public void write(Object key, MemorySegment to) {
            keys.write(key(key), to);
        }

        @Override
        public Object read(MemorySegment from) {
            return new EntryKey<>(keys.read(from), false);
        }

        @Override
        public int fixedBytes() {
            return keys.fixedBytes();
        }

        /** Another one than in a cache without expiry, whose entries would live for ever here. */
        @Override
        public String format() {
            return "expiring:" + keys.format();
        }
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof EntryKey<?> same && key.equals(same.key);
    }

    @Override
    public int hashCode() {
        return key.hashCode();
    }

    /** As in messages of the cache. */
    @Override
    public String toString() {
        return key.toString();
    }
}
