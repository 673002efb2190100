package io.polder.cache;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.util.AbstractMap.SimpleEntry;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;

/** Entries that have not expired, as {@link Cursor} finds them. For one thread. */
final class CacheIterator<K, V> implements Iterator<Map.Entry<K, V>> {
    private final Operations<K, V> operations;
    private final Cursor cursor;
    private final EntryCodec<K, V> codec;
    private Iterator<byte[]> bucket = List.<byte[]>of().iterator();
    private @Nullable Entry next;
    private @Nullable K last;

    /** An entry that can be changed. */
    private final class Entry extends SimpleEntry<K, V> {
        private static final long serialVersionUID = 1L;

        Entry(EntryCodec.Pair<K, V> pair) {
            super(pair.key(), pair.value());
        }

        @Override
        public V setValue(V value) {
            V _ = operations.put(getKey(), value, null, false);
            return super.setValue(value);
        }
    }

    CacheIterator(Operations<K, V> operations, Store store, EntryCodec<K, V> codec) {
        this.operations = operations;
        this.cursor = new Cursor(store);
        this.codec = codec;
    }

    @Override
    public boolean hasNext() {
        operations.checkOpen();
        while (next == null) {
            if (bucket.hasNext()) {
                MemorySegment entry = MemorySegment.ofArray(bucket.next());
                if (!operations.isExpired(entry)) {
                    next = new Entry(codec.pair(entry));
                }
            } else {
                List<byte[]> found = cursor.next();
                if (found == null) {
                    return false;
                }
                bucket = found.iterator();
            }
        }
        return true;
    }

    @Override
    public Map.Entry<K, V> next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        Entry found = next;
        if (found == null) {
            throw new NoSuchElementException();
        }
        next = null;
        last = found.getKey();
        return found;
    }

    @Override
    public void remove() {
        K key = last;
        if (key == null) {
            throw new IllegalStateException("an entry must have been returned, and not removed");
        }
        last = null;
        V _ = operations.remove(key, false);
    }
}
