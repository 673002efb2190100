package io.polder.cache;

import io.polder.MemoryPool;
import io.polder.heap.HeapStatistics;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * A cache in native memory: nothing of an entry is on the Java heap, and what entries leave behind
 * goes back to the operating system.
 *
 * {@snippet class="CacheSnippets" region="cache"}
 *
 * <p>Keys and values are kept as bytes, by {@linkplain Codec codecs}: each read makes new objects,
 * and what is done to them afterwards does not change the cache. Two keys are equal if their bytes
 * are. Keys and values are not null.
 *
 * <h2>Memory</h2>
 *
 * <p>An entry takes its key, its value and about 33 bytes for header, handle and index; 8 more if
 * the cache has entries that expire, and one for the size of the key unless that is fixed; all of
 * it is rounded up to 8 bytes. The limit in bytes counts all that, and what compaction has not
 * given back yet. An entry may take an eighth of it at most; for values that take more there is
 * {@link #evictingLarge}. When memory is short for others of the {@linkplain
 * OffHeapCacheBuilder#pool pool}, the cache evicts for them. An entry of more than an eighth of
 * what the pool may have is not kept: most others would have to leave for it.
 *
 * <h2>What stays</h2>
 *
 * <p>When the cache is full, entries leave that were asked for least lately. A new entry is on
 * probation first, and stays only if it was asked for more often than one that would leave for it;
 * that counts also what was asked of keys without an entry. A put never evicts for long; nor does
 * it fail for want of memory: then the value is as if it had been evicted at once.
 *
 * <h2>Threads</h2>
 *
 * <p>Any thread may use the cache at any time; for each key it behaves as if there was one
 * operation at a time. A read takes no lock, unless other threads replace this value, or one beside
 * it in the index, again and again while it looks. A hit writes to memory that others read only
 * until the entry is known as wanted. Loaders and functions of {@link #asMap} run without a lock;
 * who writes to their key waits for them, and who reads does not. They may use the cache, but not
 * change their own key.
 *
 * <p>Thread-safe.
 *
 * @param <K> the type of keys
 * @param <V> the type of values
 */
@SuppressWarnings("exports") // of an annotation that is there at compile time only
public final class OffHeapCache<K, V> implements AutoCloseable {
    private final String name;
    private final String format;
    private final Operations<K, V> operations;
    private final Turns<K, V> turns;
    private final Store store;
    private final CacheMap<K, V> map;
    private final CachePolicy<K, V> policy;
    private final Runnable shrinker;

    /**
     * Without entries.
     *
     * @param format that of its codecs, for files
     */
    OffHeapCache(String name, String format, MemoryPool pool, Operations<K, V> operations) {
        this.name = name;
        this.format = format;
        this.operations = operations;
        this.turns = operations.turns;
        this.store = turns.store;
        this.map = new CacheMap<>(this, operations);
        this.policy = new CachePolicy<>(operations);
        this.shrinker = pool.addShrinker(store.shrinking::free, this::line);
    }

    /** Another view of a cache. */
    private OffHeapCache(OffHeapCache<K, V> other, Operations<K, V> operations) {
        this.name = other.name;
        this.format = other.format;
        this.operations = operations;
        this.turns = other.turns;
        this.store = other.store;
        this.map = new CacheMap<>(this, operations);
        this.policy = other.policy;
        this.shrinker = other.shrinker;
    }

    /** For tests. */
    Store store() {
        return store;
    }

    /** Begins to build a cache. */
    public static <K, V> OffHeapCacheBuilder<K, V> builder() {
        return new OffHeapCacheBuilder<>();
    }

    /** The name that it was built with; empty if none. */
    public String name() {
        return name;
    }

    /**
     * The same cache, which does not refuse values that are too large for an entry: it is as if
     * they had been evicted as soon as they were put. The old value is gone, the listener is told
     * of both, {@link CacheStats#refusedPuts} counts, and nothing is thrown. This is for callers
     * that do not know how large values become. The interfaces of others, Caffeine's and JCache's,
     * do so.
     *
     * @return a view: whichever of the two is closed, both are
     */
    public OffHeapCache<K, V> evictingLarge() {
        return new OffHeapCache<>(this, operations.evicting());
    }

    /**
     * The value of a key, or null if it has none.
     *
     * @throws IllegalStateException if the cache is closed
     */
    public @Nullable V getIfPresent(K key) {
        return operations.reads.get(key, true);
    }

    /**
     * The value of a key; if it has none, the one that a loader gives. One thread loads a key at a
     * time; others that ask for it with a loader wait, and have a hit then. If the value is too
     * large for an entry, it is returned, and as if evicted at once.
     *
     * @param loader what it throws is thrown
     * @return null if the loader returns null, which is not kept
     * @throws IllegalStateException if the cache is closed, or the loader loads its own key
     */
    public @Nullable V get(K key, Function<? super K, ? extends @Nullable V> loader) {
        Objects.requireNonNull(loader, "loader");
        return operations.computing.load(key, loader);
    }

    /** The values of those keys that have one, in the order of the keys. */
    public Map<K, V> getAllPresent(Iterable<? extends K> keys) {
        return present(distinct(keys));
    }

    private static <K> Set<K> distinct(Iterable<? extends K> keys) {
        Set<K> distinct = new LinkedHashSet<>();
        keys.forEach(key -> distinct.add(Objects.requireNonNull(key, "key")));
        return distinct;
    }

    private Map<K, V> present(Set<K> keys) {
        turns.checkOpen();
        Map<K, V> found = new LinkedHashMap<>();
        for (K key : keys) {
            V value = operations.reads.get(key, true);
            if (value != null) {
                found.put(key, value);
            }
        }
        return found;
    }

    /**
     * The values of keys; for those that have none, what a loader gives. All that it gives is kept,
     * but for values that are too large for an entry, which are as if evicted at once; two threads
     * may load the same keys.
     *
     * @param loader gets the keys without a value, in a set that it cannot change
     * @return the values of those keys for which there is one
     */
    public Map<K, V> getAll(
            Iterable<? extends K> keys,
            Function<? super Set<? extends K>, ? extends Map<? extends K, ? extends V>> loader) {
        Objects.requireNonNull(loader, "loader");
        Set<K> asked = distinct(keys);
        Map<K, V> found = present(asked);
        Set<K> missing = new LinkedHashSet<>(asked);
        missing.removeAll(found.keySet());
        if (missing.isEmpty()) {
            return found;
        }
        Map<? extends K, ? extends V> loaded = loadAll(missing, loader);
        Map<ByteBuffer, V> ofBytes = new HashMap<>();
        if (!loaded.keySet().containsAll(missing)) { // it may have other objects that are equal
            loaded.forEach((key, value) -> ofBytes.put(bytes(key), value));
        }
        Map<K, V> result = new LinkedHashMap<>();
        for (K key : asked) {
            V value = found.get(key);
            V other = value == null ? loaded.get(key) : value;
            V last = other == null && !ofBytes.isEmpty() ? ofBytes.get(bytes(key)) : other;
            if (last != null) {
                result.put(key, last);
            }
        }
        return result;
    }

    private ByteBuffer bytes(K key) {
        return ByteBuffer.wrap(policy.keyBytes(key));
    }

    /** Loads the values of keys, and keeps them; it has failed if one is null, or there is none. */
    private Map<? extends K, ? extends V> loadAll(
            Set<K> missing,
            Function<? super Set<? extends K>, ? extends Map<? extends K, ? extends V>> loader) {
        long begin = System.nanoTime();
        boolean success = false;
        try {
            Map<? extends K, ? extends V> loaded =
                    Objects.requireNonNull(
                            loader.apply(Collections.unmodifiableSet(missing)),
                            "what the loader returns");
            for (Map.Entry<? extends K, ? extends V> each : loaded.entrySet()) {
                V _ = operations.loaded.put(each.getKey(), each.getValue(), null, false);
            }
            success = !loaded.isEmpty();
            return loaded;
        } finally {
            turns.recorder.loaded(success, System.nanoTime() - begin);
        }
    }

    /**
     * Puts a value, in the place of another one if there is one. Mostly that costs less than a new
     * key: up to 4 KiB, the memory of values that were replaced before is used again.
     *
     * @throws IllegalArgumentException if the entry would take more than an eighth of the limit in
     *     bytes, or 2 GiB; nothing has changed then
     * @throws IllegalStateException if the cache is closed
     */
    public void put(K key, V value) {
        V _ = operations.writes.put(key, value, null, false);
    }

    /**
     * Puts a value that expires after a time of its own; if the cache was built with {@code
     * expireAfterAccess}, it lives as long as that says from the first time on that it is read.
     *
     * @throws IllegalArgumentException as {@link #put(Object, Object)} does, and if the duration is
     *     negative
     * @throws UnsupportedOperationException if the cache was built without any expiry
     */
    public void put(K key, V value, Duration lifetime) {
        turns.deadlines.checkLifetime(lifetime);
        V _ = operations.writes.put(key, value, lifetime, false);
    }

    /**
     * Puts a value that expires after a time of its own, if the key has none.
     *
     * @return the value that the key has already; null if it had none
     * @throws IllegalArgumentException as {@link #put(Object, Object, Duration)} does
     * @throws UnsupportedOperationException if the cache was built without any expiry
     */
    public @Nullable V putIfAbsent(K key, V value, Duration lifetime) {
        turns.deadlines.checkLifetime(lifetime);
        return operations.writes.putIfAbsent(key, value, lifetime);
    }

    /**
     * Computes the value of a key, as {@link ConcurrentMap#compute} does; what the function returns
     * expires after a time of its own.
     *
     * @param function gets the key and its value, null if there is none; returns null for no value
     * @return what the function returned
     * @throws IllegalArgumentException as {@link #put(Object, Object, Duration)} does
     * @throws UnsupportedOperationException if the cache was built without any expiry
     */
    public @Nullable V compute(
            K key,
            BiFunction<? super K, ? super @Nullable V, ? extends @Nullable V> function,
            Duration lifetime) {
        Objects.requireNonNull(function, "function");
        turns.deadlines.checkLifetime(lifetime);
        return operations.computing.compute(key, function, lifetime);
    }

    /** Puts all entries of a map, one by one. */
    public void putAll(Map<? extends K, ? extends V> entries) {
        turns.checkOpen();
        entries.forEach(this::put);
    }

    /**
     * Lets a function read the bytes of a value: those of a large entry, which has more than 4 KiB
     * with its key, where they are, and a copy of smaller ones. As long as it reads a large one
     * nothing can be compacted.
     *
     * @param reader gets a read-only segment outside the Java heap, which may begin at any address,
     *     for the running thread and until it returns. What it throws is thrown. It must not close
     *     the cache
     * @return what the function returns; null if the key has no value
     */
    public <R extends @Nullable Object> @Nullable R read(
            K key, Function<? super MemorySegment, ? extends R> reader) {
        Objects.requireNonNull(reader, "reader");
        return operations.reads.read(key, reader);
    }

    /** Removes the value of a key, if it has one. */
    public void invalidate(K key) {
        boolean _ = operations.writes.discard(key);
    }

    /** Removes the values of keys. */
    public void invalidateAll(Iterable<? extends K> keys) {
        turns.checkOpen();
        keys.forEach(this::invalidate);
    }

    /**
     * Removes all entries that are there when this begins, and values that are being loaded, but
     * for those of {@link #getAll}. What a function of {@link #asMap} computes that begins
     * meanwhile may stay, though it was given the value before.
     */
    public void invalidateAll() {
        turns.run(
                () -> {
                    store.computations.ofOthers().forEach(Computations.Computation::await);
                    store.clear(RemovalCause.EXPLICIT);
                    store.shrinking.settleAll();
                });
    }

    /** How many entries there are, with those that have expired and were not removed yet. */
    public long size() {
        turns.checkOpen();
        return Math.max(0, store.counts.entries.get());
    }

    /**
     * The cache as a map, which changes with it. It allows no null.
     *
     * <p>Its {@code size()} and {@code isEmpty()}, and those of its views, count what has expired
     * and was not removed yet, as {@link #size} does. Nothing else of it does: iterators, streams,
     * {@code equals} and {@code hashCode} are of what has not expired. So {@code
     * map.equals(Map.of())} is true if all has expired; {@code Map.of().equals(map)}, which asks
     * for the size, is not before that was removed, by {@link #cleanUp} at the latest.
     *
     * <p>An entry that cannot be read, since its codec throws, is met once by an iterator: {@code
     * next()} throws an {@link IllegalStateException} that has the key and what the codec has
     * thrown, and the call after it goes on with the next entry; {@code hasNext()} throws nothing
     * of it. Iterators of keys read no values. {@code forEach} and streams end there.
     *
     * <p>A key that its codec refuses, as one of another class, is refused by questions, too, with
     * what the codec throws. A value that its codec refuses is refused where it is to be put;
     * {@code containsValue}, {@code remove(key, value)} and others that compare with it do so by
     * {@code equals} alone then, where they compare bytes as well otherwise.
     */
    public ConcurrentMap<K, V> asMap() {
        return map;
    }

    Iterator<Map.Entry<K, V>> iterator() {
        turns.checkOpen();
        return CacheIterator.ofEntries(operations);
    }

    Iterator<K> keys() {
        turns.checkOpen();
        return CacheIterator.ofKeys(operations);
    }

    private String line() {
        return stats().line(name, store.entries.heap.stats().number());
    }

    /**
     * What it holds and has done. May be asked of a closed cache, too, which has its last counts
     * and holds no memory.
     */
    public CacheStats stats() {
        Recorder recorder = turns.recorder;
        HeapStatistics heap = store.entries.heap.stats();
        return new CacheStats(
                recorder.hits(),
                recorder.misses(),
                recorder.loads.sum(),
                recorder.loadFailures.sum(),
                recorder.loadNanos.sum(),
                store.eviction.evicted.get(),
                store.eviction.evictedBytes.get(),
                recorder.refusedPuts.sum(),
                Math.max(0, store.counts.entries.get()),
                store.counts.bytes.get(),
                store.lines.bytes(),
                heap.regionBytes() + heap.tableBytes() + store.lines.bytes(),
                store.budget.bytesMax());
    }

    /** Its limits, which can be changed, and what it would keep. */
    public CachePolicy<K, V> policy() {
        return policy;
    }

    /**
     * Removes all entries that have expired or are beyond the limits, compacts, and gives back what
     * comes free. Where somebody reads a large entry for more than a second, the memory comes back
     * after he has left, and this does not wait for it, but where no thread can be started.
     */
    public void cleanUp() {
        turns.run(
                () -> {
                    if (turns.deadlines.isOn()) {
                        store.clear(RemovalCause.EXPIRED);
                    }
                    store.shrinking.settleAll();
                    store.shrinking.shrink(false);
                    boolean _ = store.shrinking.compact();
                });
    }

    /**
     * Writes all entries to a file, for a cache with the same codecs to read: to a temporary file
     * beside it, which then takes its place. Entries that are put or removed meanwhile may be in it
     * or not. Several threads and processes may write to the same path: the last one to end wins. A
     * symbolic link at the path stays, and the file is written to where it leads.
     *
     * @return how many entries were written
     * @throws IOException if the file cannot be written; what was at the path is as it was then
     */
    public long writeTo(Path path) throws IOException {
        return turns.run(() -> CacheFile.write(path, format, turns));
    }

    /**
     * Puts all entries of a file that {@link #writeTo} has written, and that have not expired since
     * then. What is there already stays, unless the file has the same key. An entry that is too
     * large is as if it had been put and evicted at once: what its key had is gone.
     *
     * <p>An entry has the time that it had left, whatever the rule of this cache is; with {@code
     * expireAfterAccess}, until it is read. One of a cache without expiry expires as if it were put
     * now. In a cache without expiry none expires.
     *
     * @return how many entries were put
     * @throws IOException if the file cannot be read, or is damaged, of another version, or of
     *     other codecs, as their {@link Codec#format} says; then nothing was put, unless the file
     *     is changed meanwhile
     */
    public long readFrom(Path path) throws IOException {
        return turns.run(() -> CacheFile.read(path, format, operations));
    }

    /**
     * Closes the cache: nothing can be asked of it any more, and its memory goes back to the pool.
     * Waits for those who read large entries. Closing again does nothing.
     *
     * @throws IllegalStateException if a function that reads a large entry, of this cache or
     *     another, calls this; the cache stays open then
     */
    @Override
    public void close() {
        store.entries.heap.close(); // refuses before anything has changed
        turns.close();
        shrinker.run();
        store.lines.close();
    }
}
