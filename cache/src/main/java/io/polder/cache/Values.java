package io.polder.cache;

import org.jspecify.annotations.Nullable;

import java.util.AbstractCollection;
import java.util.Iterator;
import java.util.Map;
import java.util.Spliterator;
import java.util.Spliterators;

/**
 * The values of a map whose size counts what its iterators may leave out. So no stream trusts the
 * size, as one over {@link java.util.AbstractMap#values} does.
 *
 * <p>Thread-safe if the map is.
 */
final class Values<V> extends AbstractCollection<V> {
    private final Map<?, V> map;

    Values(Map<?, V> map) {
        this.map = map;
    }

    @Override
    public int size() {
        return map.size();
    }

    @Override
    public void clear() {
        map.clear();
    }

    @Override
    public boolean contains(@Nullable Object value) {
        return map.containsValue(value);
    }

    @Override
    public Iterator<V> iterator() {
        Iterator<? extends Map.Entry<?, V>> entries = map.entrySet().iterator();
        return new Iterator<>() {
            @Override
            public boolean hasNext() {
                return entries.hasNext();
            }

            @Override
            public V next() {
                return entries.next().getValue();
            }

            @Override
            public void remove() {
                entries.remove();
            }
        };
    }

    @Override
    public Spliterator<V> spliterator() {
        return Spliterators.spliteratorUnknownSize(
                iterator(), Spliterator.CONCURRENT | Spliterator.NONNULL);
    }
}
