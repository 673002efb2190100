package io.polder.cache.jcache;

import org.jspecify.annotations.Nullable;

import java.util.Objects;

/**
 * What one operation makes of one entry. {@link Changes} says what is there, the operation decides,
 * and {@link Changes} does it.
 *
 * <p>For one thread.
 */
final class Change<K, V> {
    /** What is to be done. */
    enum Kind {
        /** Nothing. */
        NONE,

        /** The entry stays as it is, but was accessed. */
        ACCESS,

        /** The entry gets a value, which the writer is told of. */
        PUT,

        /** The entry gets a value that was loaded. */
        LOAD,

        /** The entry goes, and the writer is told. */
        REMOVE,

        /** The entry goes; the writer knows already. */
        DROP
    }

    /** An operation. */
    @FunctionalInterface
    interface Decision<K, V> {
        /** Looks at what is there, and says what is to be done. */
        void decide(Change<K, V> change);
    }

    private final K key;
    private @Nullable V old;
    private @Nullable V value;
    private Kind kind = Kind.NONE;
    private boolean isPut;
    private boolean isRemoved;

    Change(K key) {
        this.key = key;
    }

    K key() {
        return key;
    }

    /** Once, before the decision. */
    void setOld(@Nullable V found) {
        old = found;
    }

    /** The value that is there; null if there is none. */
    @Nullable V old() {
        return old;
    }

    Kind kind() {
        return kind;
    }

    /** The value that the entry gets. */
    V value() {
        return Objects.requireNonNull(value, "value");
    }

    void access() {
        kind = Kind.ACCESS;
    }

    void put(V next) {
        kind = Kind.PUT;
        value = next;
    }

    void load(V next) {
        kind = Kind.LOAD;
        value = next;
    }

    void remove() {
        kind = Kind.REMOVE;
    }

    void drop() {
        kind = Kind.DROP;
    }

    /** Whether a value was put that has not expired at once. */
    boolean isPut() {
        return isPut;
    }

    void setPut() {
        isPut = true;
    }

    /** Whether there was an entry, and it was removed. */
    boolean isRemoved() {
        return isRemoved;
    }

    void setRemoved() {
        isRemoved = true;
    }
}
