package io.polder.cache;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;

/**
 * The limits of a cache, which can be changed, and what it would keep. Thread-safe.
 *
 * @param <K> the type of keys
 * @param <V> the type of values
 */
public final class CachePolicy<K, V> {
    private final Store store;
    private final EntryCodec<K, V> codec;
    private final Operations<K, V> operations;

    CachePolicy(Store store, EntryCodec<K, V> codec, Operations<K, V> operations) {
        this.store = store;
        this.codec = codec;
        this.operations = operations;
    }

    /** The limit in bytes; {@code Long.MAX_VALUE} if there is none. */
    public long maximumBytes() {
        return store.budget.bytesMax();
    }

    /**
     * Changes the limit in bytes. If the cache holds more, it evicts before this returns, compacts,
     * and gives what comes free to its pool.
     *
     * @param bytes {@link OffHeapCacheBuilder#MAXIMUM_BYTES_MIN} or more
     * @throws IllegalArgumentException if it is less
     */
    public void setMaximumBytes(long bytes) {
        operations.checkOpen();
        store.budget.setBytesMax(OffHeapCacheBuilder.checkBytes(bytes));
        store.shrink();
    }

    /** The limit of entries; {@code Long.MAX_VALUE} if there is none. */
    public long maximumEntries() {
        return store.budget.entriesMax();
    }

    /**
     * Changes the limit of entries; evicts before this returns, if there are more.
     *
     * @param entries 1 or more
     * @throws IllegalArgumentException if it is less
     */
    public void setMaximumEntries(long entries) {
        operations.checkOpen();
        store.budget.setEntriesMax(OffHeapCacheBuilder.checkEntries(entries));
        store.shrink();
    }

    /** How long the entry of a key will live if nothing happens; empty if there is none. */
    public Optional<Duration> expiresIn(K key) {
        long nanos = operations.lifetimeNanos(key);
        return nanos < 0 ? Optional.empty() : Optional.of(Duration.ofNanos(nanos));
    }

    /**
     * The entries that were asked for most often lately, the most wanted first. Goes through the
     * whole cache.
     *
     * @param count how many at most, 0 or more
     * @return a map of copies
     */
    public Map<K, V> hottest(int count) {
        if (count < 0) {
            throw new IllegalArgumentException("0 <= count: count=" + count);
        }
        operations.checkOpen();
        record Scored(int score, MemorySegment entry) {}
        PriorityQueue<Scored> best =
                new PriorityQueue<>((a, b) -> Integer.compare(a.score, b.score));
        Cursor cursor = new Cursor(store);
        for (List<byte[]> found = cursor.next(); found != null; found = cursor.next()) {
            for (byte[] entry : found) {
                int score = count == 0 ? 0 : store.score(entry);
                if (best.size() < count) {
                    best.add(new Scored(score, MemorySegment.ofArray(entry)));
                } else if (count > 0 && best.element().score < score) {
                    best.remove();
                    best.add(new Scored(score, MemorySegment.ofArray(entry)));
                }
            }
        }
        List<MemorySegment> ascending = new ArrayList<>();
        while (!best.isEmpty()) {
            ascending.add(best.remove().entry);
        }
        Map<K, V> hottest = new LinkedHashMap<>();
        for (MemorySegment bytes : ascending.reversed()) {
            if (!operations.isExpired(bytes)) {
                EntryCodec.Pair<K, V> pair = codec.pair(bytes);
                hottest.put(pair.key(), pair.value());
            }
        }
        return hottest;
    }
}
