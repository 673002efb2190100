package io.polder.cache;

import org.jspecify.annotations.Nullable;

import java.util.AbstractMap.SimpleEntry;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.function.Function;

/**
 * Entries that have not expired, as {@link Cursor} finds them, or what else is made of their bytes.
 * For one thread.
 *
 * <p>Failure. What {@link #next} throws of an entry that cannot be read has its key. {@link
 * #hasNext} throws nothing of it, and the next call of {@link #next} goes on with the next entry.
 */
final class CacheIterator<K, V, T> implements Iterator<T> {
    private final Operations<K, V> operations;
    private final Cursor cursor;
    private final Function<Met, @Nullable T> reader;
    private final Function<T, K> keyOf;
    private Iterator<Met> bucket = List.<Met>of().iterator();
    private @Nullable T next;

    /** What {@link #next} throws instead of an entry. */
    private @Nullable RuntimeException unreadable;

    private @Nullable K last;

    /** An entry that can be changed. */
    private static final class Entry<K, V> extends SimpleEntry<K, V> {
        private static final long serialVersionUID = 1L;

        private final transient Operations<K, V> operations;

        Entry(Operations<K, V> operations, EntryCodec.Pair<K, V> pair) {
            super(pair.key(), pair.value());
            this.operations = operations;
        }

        @Override
        public V setValue(V value) {
            V _ = operations.writes.put(getKey(), value, null, false);
            return super.setValue(value);
        }
    }

    private CacheIterator(
            Operations<K, V> operations, Function<Met, @Nullable T> reader, Function<T, K> keyOf) {
        this.operations = operations;
        this.cursor = new Cursor(operations.turns.store);
        this.reader = reader;
        this.keyOf = keyOf;
    }

    static <K, V> Iterator<Map.Entry<K, V>> ofEntries(Operations<K, V> operations) {
        EntryCodec<K, V> codec = operations.turns.codec;
        return new CacheIterator<>(
                operations,
                met -> codec.read(met, entry -> new Entry<>(operations, codec.pair(entry))),
                Map.Entry::getKey);
    }

    /** Keys alone: values are not read. */
    static <K, V> Iterator<K> ofKeys(Operations<K, V> operations) {
        EntryCodec<K, V> codec = operations.turns.codec;
        return new CacheIterator<>(
                operations, met -> codec.key(met.segment()), Function.identity());
    }

    @Override
    public boolean hasNext() {
        operations.turns.checkOpen();
        while (next == null && unreadable == null) {
            if (bucket.hasNext()) {
                Met met = bucket.next();
                if (!operations.turns.isExpired(met)) {
                    read(met);
                }
            } else {
                List<Met> found = operations.turns.run(cursor::next);
                if (found == null) {
                    return false;
                }
                bucket = found.iterator();
            }
        }
        return true;
    }

    private void read(Met met) {
        try {
            next = operations.turns.run(() -> reader.apply(met));
        } catch (RuntimeException thrown) {
            unreadable = thrown;
        }
    }

    @Override
    public T next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        RuntimeException thrown = unreadable;
        if (thrown != null) {
            unreadable = null;
            last = null;
            throw thrown;
        }
        T found = next;
        if (found == null) {
            throw new NoSuchElementException();
        }
        next = null;
        last = keyOf.apply(found);
        return found;
    }

    @Override
    public void remove() {
        K key = last;
        if (key == null) {
            throw new IllegalStateException("an entry must have been returned, and not removed");
        }
        last = null;
        boolean _ = operations.writes.discard(key);
    }
}
