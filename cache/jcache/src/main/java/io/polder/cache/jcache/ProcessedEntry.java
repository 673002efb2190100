package io.polder.cache.jcache;

import org.jspecify.annotations.Nullable;

import java.util.Objects;

import javax.cache.processor.MutableEntry;

/**
 * An entry in the hands of an entry processor. What is done to it comes true when the processor has
 * returned, by {@link #finish}.
 *
 * <p>For one thread, for as long as the processor runs.
 */
final class ProcessedEntry<K, V> implements MutableEntry<K, V> {
    private final Change<K, V> change;
    private final Loading<K, V> loading;
    private @Nullable V value;
    private Change.Kind kind = Change.Kind.NONE;

    ProcessedEntry(Change<K, V> change, Loading<K, V> loading) {
        this.change = change;
        this.loading = loading;
        this.value = change.old();
    }

    @Override
    public K getKey() {
        return change.key();
    }

    @Override
    public boolean exists() {
        return value != null;
    }

    @Override
    public @Nullable V getValue() {
        if (kind == Change.Kind.NONE) {
            if (value != null) {
                kind = Change.Kind.ACCESS;
            } else {
                value = loading.readThrough(change.key());
                kind = value == null ? Change.Kind.NONE : Change.Kind.STORE;
            }
        }
        return value;
    }

    @Override
    public void setValue(V next) {
        value = Objects.requireNonNull(next, "value");
        kind = Change.Kind.PUT;
    }

    @Override
    public void remove() {
        boolean isNew =
                kind == Change.Kind.STORE || (kind == Change.Kind.PUT && change.old() == null);
        kind = isNew ? Change.Kind.NONE : Change.Kind.REMOVE;
        value = null;
    }

    @Override
    public <T> T unwrap(Class<T> clazz) {
        return Unwrap.as(this, clazz);
    }

    /** Says to the change what was done. */
    void finish() {
        V last = value;
        switch (kind) {
            case ACCESS -> change.access();
            case REMOVE -> change.remove();
            case PUT -> change.put(Objects.requireNonNull(last));
            case STORE -> change.store(Objects.requireNonNull(last));
            case NONE, DROP -> {}
        }
    }
}
