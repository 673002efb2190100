package io.polder.cache.caffeine;

import org.jspecify.annotations.Nullable;

import java.util.AbstractCollection;
import java.util.Collection;
import java.util.Iterator;
import java.util.Spliterator;
import java.util.Spliterators;

/**
 * The values of a map whose size counts what its iterators may leave out. So no stream trusts the
 * size, as one over {@link java.util.AbstractMap#values} does, which these are otherwise.
 *
 * <p>Thread-safe if the map is.
 */
final class Values<V> extends AbstractCollection<V> {
    private final Collection<V> all;

    Values(Collection<V> all) {
        this.all = all;
    }

    @Override
    public int size() {
        return all.size();
    }

    @Override
    public void clear() {
        all.clear();
    }

    @Override
    public boolean contains(@Nullable Object value) {
        return all.contains(value);
    }

    @Override
    public Iterator<V> iterator() {
        return all.iterator();
    }

    @Override
    public Spliterator<V> spliterator() {
        return Spliterators.spliteratorUnknownSize(
                iterator(), Spliterator.CONCURRENT | Spliterator.NONNULL);
    }
}
