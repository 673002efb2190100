package io.polder.cache.jcache;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * What one operation makes of one entry. {@link Changes} says what is there, the operation decides,
 * and {@link Changes} does it.
 *
 * <p>For one thread, but for {@link #holdExpired}.
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

        /** The entry gets a value; the writer knows already, or it was loaded. */
        STORE,

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

    private boolean isDone;

    /** How long the entry that is there had left, and when that was. */
    private Duration left = Duration.ZERO;

    private long leftNanos;

    /** Whether it has ended; set in place, since an error may keep it from being forgotten. */
    volatile boolean isOver;

    /** Values of the key that have expired since this began; null when it has ended. */
    private @Nullable List<V> expired = new ArrayList<>();

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

    /** How long the entry has left, before a function runs in which it may be evicted. */
    void setLeft(Duration found) {
        left = found;
        leftNanos = System.nanoTime();
    }

    /** What is left of that now, if the entry was evicted; next to nothing where it has expired. */
    Duration left() {
        Duration now = left.minusNanos(System.nanoTime() - leftNanos);
        return now.isPositive() ? now : Duration.ofNanos(1);
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

    void store(V next) {
        kind = Kind.STORE;
        value = next;
    }

    void remove() {
        kind = Kind.REMOVE;
    }

    void drop() {
        kind = Kind.DROP;
    }

    /** Whether it was decided that the entry gets a value. */
    boolean hasValue() {
        return value != null;
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

    /** Whether the entry is another one than before, or is gone. */
    boolean isDone() {
        return isDone;
    }

    void setDone() {
        isDone = true;
    }

    /**
     * Keeps what any thread finds to have expired, for the thread that changes the key to tell.
     *
     * @return false if this has ended: then who finds it tells
     */
    synchronized boolean holdExpired(V gone) {
        return expired != null && !isOver && expired.add(gone);
    }

    /**
     * Ends this.
     *
     * @return what listeners must be told of that has expired; without the value from which this
     *     was made, if it was replaced or removed, since they are told of that
     */
    synchronized List<V> endExpired() {
        List<V> all = expired == null ? List.of() : expired;
        expired = null;
        return isDone && old != null && !all.isEmpty() ? all.subList(1, all.size()) : all;
    }
}
