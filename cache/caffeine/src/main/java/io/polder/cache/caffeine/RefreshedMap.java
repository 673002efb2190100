package io.polder.cache.caffeine;

import org.jspecify.annotations.Nullable;

import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.Collection;
import java.util.Iterator;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The map of a cache whose values are loaded again: it tells {@link Refreshes} of each key that it
 * changes, after a change and before a removal. All else is done by the map of the cache.
 *
 * <p>Thread-safe.
 */
final class RefreshedMap<K, V> extends AbstractMap<K, V> implements ConcurrentMap<K, V> {
    private final ConcurrentMap<K, V> map;
    private final Refreshes<K, V> refreshes;

    RefreshedMap(ConcurrentMap<K, V> map, Refreshes<K, V> refreshes) {
        this.map = map;
        this.refreshes = refreshes;
    }

    @Override
    public int size() {
        return map.size();
    }

    @Override
    public boolean isEmpty() {
        return map.isEmpty();
    }

    @Override
    public boolean containsKey(@Nullable Object key) {
        return map.containsKey(key);
    }

    @Override
    public boolean containsValue(@Nullable Object value) {
        return map.containsValue(value);
    }

    @Override
    public @Nullable V get(@Nullable Object key) {
        return map.get(key);
    }

    @Override
    public V getOrDefault(@Nullable Object key, V other) {
        return map.getOrDefault(key, other);
    }

    @Override
    public @Nullable V put(K key, V value) {
        V old = map.put(key, value);
        refreshes.forget(key);
        return old;
    }

    @Override
    public void putAll(Map<? extends K, ? extends V> entries) {
        entries.forEach(
                (key, value) -> {
                    map.putAll(Map.of(key, value)); // reads no old value
                    refreshes.forget(key);
                });
    }

    @Override
    public @Nullable V putIfAbsent(K key, V value) {
        return map.putIfAbsent(key, value); // a refresh stores only if nothing was there
    }

    @SuppressWarnings("unchecked") // a key of another class is refused by the map
    private void forget(@Nullable Object key) {
        if (key != null) {
            refreshes.forget((K) key);
        }
    }

    @Override
    public @Nullable V remove(@Nullable Object key) {
        forget(key);
        return map.remove(key);
    }

    @Override
    public boolean remove(@Nullable Object key, @Nullable Object value) {
        if (refreshes.isAny()
                && key != null
                && value != null
                && map.entrySet().contains(Map.entry(key, value))) {
            forget(key);
        }
        boolean removed = map.remove(key, value);
        if (removed) {
            forget(key); // it may have come after the question
        }
        return removed;
    }

    @Override
    public boolean replace(K key, V expected, V value) {
        boolean replaced = map.replace(key, expected, value);
        if (replaced) {
            refreshes.forget(key);
        }
        return replaced;
    }

    @Override
    public @Nullable V replace(K key, V value) {
        V old = map.replace(key, value);
        if (old != null) {
            refreshes.forget(key);
        }
        return old;
    }

    @Override
    public @Nullable V computeIfAbsent(K key, Function<? super K, ? extends @Nullable V> function) {
        return map.computeIfAbsent(key, function); // as putIfAbsent
    }

    @Override
    public @Nullable V compute(
            K key, BiFunction<? super K, ? super @Nullable V, ? extends @Nullable V> function) {
        Objects.requireNonNull(function, "function");
        boolean[] changed = new boolean[1];
        V computed =
                map.compute(
                        key,
                        (each, known) -> {
                            V next = function.apply(each, known);
                            changed[0] = next != null || known != null;
                            if (next == null && known != null) {
                                refreshes.forget(key);
                            }
                            return next;
                        });
        if (changed[0]) {
            refreshes.forget(key);
        }
        return computed;
    }

    @Override
    public @Nullable V computeIfPresent(
            K key, BiFunction<? super K, ? super V, ? extends @Nullable V> function) {
        Objects.requireNonNull(function, "function");
        return compute(key, (each, known) -> known == null ? null : function.apply(each, known));
    }

    @Override
    public @Nullable V merge(
            K key, V value, BiFunction<? super V, ? super V, ? extends @Nullable V> function) {
        Objects.requireNonNull(value, "value");
        Objects.requireNonNull(function, "function");
        return compute(key, (_, known) -> known == null ? value : function.apply(known, value));
    }

    @Override
    public void replaceAll(BiFunction<? super K, ? super V, ? extends V> function) {
        Objects.requireNonNull(function, "function");
        map.replaceAll(
                (key, known) -> {
                    V next = function.apply(key, known);
                    if (next != known) {
                        refreshes.forget(key);
                    }
                    return next;
                });
    }

    @Override
    public void clear() {
        refreshes.forgetAll();
        map.clear();
    }

    @Override
    public Set<K> keySet() {
        return new Part<>(map.keySet(), this::forget, Function.identity(), Function.identity());
    }

    @Override
    public Set<Map.Entry<K, V>> entrySet() {
        return new Part<>(
                map.entrySet(),
                entry -> forget(entry instanceof Map.Entry<?, ?> known ? known.getKey() : null),
                Map.Entry::getKey,
                Changed::new);
    }

    @Override
    public Collection<V> values() {
        return new Values<>(super.values());
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other == this || map.equals(other);
    }

    @Override
    public int hashCode() {
        return map.hashCode();
    }

    /** An entry that puts by the map. */
    private final class Changed extends SimpleEntry<K, V> {
        private static final long serialVersionUID = 1L;

        Changed(Map.Entry<K, V> entry) {
            super(entry);
        }

        @Override
        public V setValue(V value) {
            V _ = RefreshedMap.this.put(getKey(), value);
            return super.setValue(value);
        }
    }

    /** The keys, or the entries. */
    private final class Part<T> extends AbstractSet<T> {
        private final Set<T> all;
        private final Consumer<@Nullable Object> forgetter;
        private final Function<T, K> keyOf;
        private final Function<T, T> shown;

        Part(
                Set<T> all,
                Consumer<@Nullable Object> forgetter,
                Function<T, K> keyOf,
                Function<T, T> shown) {
            this.all = all;
            this.forgetter = forgetter;
            this.keyOf = keyOf;
            this.shown = shown;
        }

        @Override
        public int size() {
            return all.size();
        }

        @Override
        public boolean contains(@Nullable Object element) {
            return all.contains(element);
        }

        @Override
        public boolean remove(@Nullable Object element) {
            if (all.contains(element)) {
                forgetter.accept(element);
            }
            boolean removed = all.remove(element);
            if (removed) {
                forgetter.accept(element);
            }
            return removed;
        }

        @Override
        public boolean removeAll(Collection<?> elements) {
            boolean removed = false;
            for (Object each : elements) {
                removed |= remove(each);
            }
            return removed;
        }

        @Override
        public void clear() {
            RefreshedMap.this.clear();
        }

        @Override
        public Spliterator<T> spliterator() {
            return Spliterators.spliteratorUnknownSize(
                    iterator(),
                    Spliterator.CONCURRENT | Spliterator.DISTINCT | Spliterator.NONNULL);
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other == this || all.equals(other);
        }

        @Override
        public int hashCode() {
            return all.hashCode();
        }

        @Override
        public Iterator<T> iterator() {
            Iterator<T> elements = all.iterator();
            return new Iterator<>() {
                private @Nullable T last;

                @Override
                public boolean hasNext() {
                    return elements.hasNext();
                }

                @Override
                public T next() {
                    last = null; // if this throws, nothing was returned
                    T next = elements.next();
                    last = next;
                    return shown.apply(next);
                }

                @Override
                public void remove() {
                    T gone = last;
                    if (gone != null) {
                        last = null;
                        forget(keyOf.apply(gone));
                    }
                    elements.remove();
                }
            };
        }
    }
}
