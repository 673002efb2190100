package io.polder.cache;

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
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * A cache as a map. Its iterators are weakly consistent: they meet each entry once that is there
 * all the time, and throw no {@link java.util.ConcurrentModificationException}. Values of entries
 * that they return are copies of that moment; {@code setValue} puts. Those of keys read no values.
 * What they throw of an entry that cannot be read has its key, and they go on after that.
 *
 * <p>Its size counts what has expired and was not removed yet, and may be another one by the time
 * somebody has gone through it. So streams, {@code equals} and {@code removeAll} do not trust it.
 *
 * <p>Two values are the same if they are equal, or if their bytes are. One that the codec refuses
 * has no bytes, and may be asked for. A key that the codec refuses is refused in questions, too.
 *
 * <p>Thread-safe.
 */
final class CacheMap<K, V> extends AbstractMap<K, V> implements ConcurrentMap<K, V> {
    private final OffHeapCache<K, V> cache;
    private final Operations<K, V> operations;

    CacheMap(OffHeapCache<K, V> cache, Operations<K, V> operations) {
        this.cache = cache;
        this.operations = operations;
    }

    @Override
    public int size() {
        return (int) Math.min(Integer.MAX_VALUE, cache.size());
    }

    @Override
    public boolean isEmpty() {
        return cache.size() == 0;
    }

    @Override
    public void clear() {
        cache.invalidateAll();
    }

    @SuppressWarnings("unchecked") // a key of another class is refused by the codec
    private K key(@Nullable Object key) {
        return (K) Objects.requireNonNull(key, "key");
    }

    @Override
    public boolean containsKey(@Nullable Object key) {
        return operations.reads.contains(key(key));
    }

    @Override
    public boolean containsValue(@Nullable Object value) {
        Objects.requireNonNull(value, "value");
        return operations.reads.containsValue(value);
    }

    @Override
    public @Nullable V get(@Nullable Object key) {
        return operations.reads.get(key(key), true);
    }

    @Override
    public V getOrDefault(@Nullable Object key, V other) {
        V value = operations.reads.get(key(key), true);
        return value == null ? other : value;
    }

    @Override
    public @Nullable V put(K key, V value) {
        return operations.writes.put(key, value, null, true);
    }

    /** Unlike a put, this reads no value that it replaces. */
    @Override
    public void putAll(Map<? extends K, ? extends V> entries) {
        cache.putAll(entries);
    }

    @Override
    public @Nullable V putIfAbsent(K key, V value) {
        return operations.writes.putIfAbsent(key, value, null);
    }

    @Override
    public @Nullable V remove(@Nullable Object key) {
        return operations.writes.remove(key(key));
    }

    @Override
    public boolean remove(@Nullable Object key, @Nullable Object value) {
        K known = key(key);
        return value != null && operations.writes.remove(known, value);
    }

    @Override
    public boolean replace(K key, V expected, V value) {
        Objects.requireNonNull(expected, "expected");
        return operations.writes.replace(key, expected, value) != null;
    }

    @Override
    public @Nullable V replace(K key, V value) {
        return operations.writes.replace(key, null, value);
    }

    @Override
    public @Nullable V computeIfAbsent(K key, Function<? super K, ? extends @Nullable V> function) {
        Objects.requireNonNull(function, "function");
        return operations.computing.load(key, function);
    }

    @Override
    public @Nullable V computeIfPresent(
            K key, BiFunction<? super K, ? super V, ? extends @Nullable V> function) {
        Objects.requireNonNull(function, "function");
        return operations.computing.compute(
                key, (k, known) -> known == null ? null : function.apply(k, known), null);
    }

    @Override
    public @Nullable V compute(
            K key, BiFunction<? super K, ? super @Nullable V, ? extends @Nullable V> function) {
        Objects.requireNonNull(function, "function");
        return operations.computing.compute(key, function, null);
    }

    @Override
    public @Nullable V merge(
            K key, V value, BiFunction<? super V, ? super V, ? extends @Nullable V> function) {
        Objects.requireNonNull(value, "value");
        Objects.requireNonNull(function, "function");
        return operations.computing.compute(
                key, (_, known) -> known == null ? value : function.apply(known, value), null);
    }

    @Override
    public void replaceAll(BiFunction<? super K, ? super V, ? extends V> function) {
        Objects.requireNonNull(function, "function");
        for (K key : keySet()) {
            V _ =
                    computeIfPresent(
                            key,
                            (k, known) ->
                                    Objects.requireNonNull(function.apply(k, known), "value"));
        }
    }

    /** As {@link Map#equals} says of what iterators meet, which {@link #hashCode} is made of. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other == this
                || (other instanceof Map<?, ?> map
                        && isSame(
                                entrySet(),
                                each -> each.getValue().equals(map.get(each.getKey())),
                                map.keySet()));
    }

    @Override
    public int hashCode() {
        return super.hashCode();
    }

    /** Whether all that is met is among others, and they are no more. */
    private static <T> boolean isSame(
            Set<T> all, Predicate<? super T> isAmongOthers, Set<?> others) {
        Iterator<?> rest = others.iterator();
        for (T each : all) {
            if (!rest.hasNext() || !has(isAmongOthers, each)) {
                return false;
            }
            Object _ = rest.next(); // any one: this counts
        }
        return !rest.hasNext();
    }

    private static <T> boolean has(Predicate<? super T> others, T each) {
        try {
            return others.test(each);
        } catch (ClassCastException | NullPointerException _) {
            return false; // they cannot have it
        }
    }

    /** The keys, or the entries; their size is that of the map. */
    private abstract class Part<T> extends AbstractSet<T> {
        @Override
        public int size() {
            return CacheMap.this.size();
        }

        @Override
        public void clear() {
            CacheMap.this.clear();
        }

        @Override
        public Spliterator<T> spliterator() {
            return Spliterators.spliteratorUnknownSize(
                    iterator(),
                    Spliterator.CONCURRENT | Spliterator.DISTINCT | Spliterator.NONNULL);
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
        public boolean equals(@Nullable Object other) {
            return other == this
                    || (other instanceof Set<?> others && isSame(this, others::contains, others));
        }

        @Override
        public int hashCode() {
            return super.hashCode();
        }
    }

    @Override
    public Set<K> keySet() {
        return new Keys();
    }

    private final class Keys extends Part<K> {
        @Override
        public boolean contains(Object key) {
            return containsKey(key);
        }

        @Override
        public boolean remove(Object key) {
            return operations.writes.discard(key(key));
        }

        @Override
        public Iterator<K> iterator() {
            return cache.keys();
        }
    }

    @Override
    public Set<Map.Entry<K, V>> entrySet() {
        return new Entries();
    }

    private final class Entries extends Part<Map.Entry<K, V>> {
        @Override
        public boolean contains(Object other) {
            if (other instanceof Map.Entry<?, ?> entry
                    && entry.getKey() != null
                    && entry.getValue() != null) {
                return operations.reads.contains(key(entry.getKey()), entry.getValue());
            }
            return false;
        }

        @Override
        public boolean remove(Object other) {
            return other instanceof Map.Entry<?, ?> entry
                    && entry.getKey() != null
                    && CacheMap.this.remove(entry.getKey(), entry.getValue());
        }

        @Override
        public boolean add(Map.Entry<K, V> entry) {
            throw new UnsupportedOperationException("entries are put into the map");
        }

        @Override
        public Iterator<Map.Entry<K, V>> iterator() {
            return cache.iterator();
        }
    }

    @Override
    public Collection<V> values() {
        return new Values<>(super.values());
    }
}
