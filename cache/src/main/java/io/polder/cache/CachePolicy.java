package io.polder.cache;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.PriorityQueue;
import java.util.function.ToLongFunction;

/**
 * The limits of a cache, which can be changed, and what it would keep. Thread-safe.
 *
 * @param <K> the type of keys
 * @param <V> the type of values
 */
@SuppressWarnings("exports") // of an annotation that is there at compile time only
public final class CachePolicy<K, V> {
    private final Store store;
    private final EntryCodec<K, V> codec;
    private final Operations<K, V> operations;
    private final Deadlines<K, V> deadlines;
    private final boolean recordsStats;

    CachePolicy(Operations<K, V> operations) {
        this.operations = operations;
        this.store = operations.turns.store;
        this.codec = operations.turns.codec;
        this.deadlines = operations.turns.deadlines;
        this.recordsStats = operations.turns.recorder.on;
    }

    /** The limit in bytes; {@code Long.MAX_VALUE} if there is none. */
    public long maximumBytes() {
        return store.budget.bytesMax();
    }

    /**
     * Changes the limit in bytes. If the cache holds more, it evicts before this returns, compacts,
     * and gives what comes free to its pool. Where somebody reads a large entry for more than a
     * second, the memory comes back after he has left, and this does not wait for it, but where no
     * thread can be started. An entry that was there before, or is being put, may take more than an
     * eighth of the new limit: it stays until its turn comes.
     *
     * @param bytes {@link OffHeapCacheBuilder#MAXIMUM_BYTES_MIN} or more
     * @throws IllegalArgumentException if it is less
     */
    public void setMaximumBytes(long bytes) {
        operations.turns.run(
                () -> {
                    store.budget.setBytesMax(OffHeapCacheBuilder.checkBytes(bytes));
                    store.budget.measure();
                    store.shrinking.shrink(store.budget.holdsTooMuch());
                });
    }

    /** The limit of entries; {@code Long.MAX_VALUE} if there is none. */
    public long maximumEntries() {
        return store.budget.entriesMax();
    }

    /**
     * Changes the limit of entries; evicts before this returns, if there are more. Of what is put
     * meanwhile some may be too much until the next put.
     *
     * @param entries 1 or more
     * @throws IllegalArgumentException if it is less
     */
    public void setMaximumEntries(long entries) {
        operations.turns.run(
                () -> {
                    store.budget.setEntriesMax(OffHeapCacheBuilder.checkEntries(entries));
                    store.shrinking.shrink(false);
                });
    }

    /**
     * How long the entry of a key will live if nothing happens; {@code Long.MAX_VALUE} nanoseconds
     * if it does not expire, empty if there is none.
     */
    public Optional<Duration> expiresIn(K key) {
        long nanos = operations.reads.lifetimeNanos(key);
        return nanos < 0 ? Optional.empty() : Optional.of(Duration.ofNanos(nanos));
    }

    /**
     * Has the entry of a key expire after a time from now on, until it is read in a cache that was
     * built with {@code expireAfterAccess}.
     *
     * @return whether there is one
     * @throws IllegalArgumentException if the duration is negative
     * @throws UnsupportedOperationException if the cache was built without any expiry
     */
    public boolean setExpiresIn(K key, Duration lifetime) {
        deadlines.checkLifetime(lifetime);
        return operations.reads.setLifetime(key, lifetime);
    }

    /** How long entries live after they were put, as the cache was built; empty if not set. */
    public Optional<Duration> expireAfterWrite() {
        return rule(deadlines.afterWriteNanos());
    }

    /** How long entries live after they were asked for; empty if not set. */
    public Optional<Duration> expireAfterAccess() {
        return rule(deadlines.afterAccessNanos());
    }

    private static Optional<Duration> rule(long nanos) {
        return nanos == Deadlines.OFF ? Optional.empty() : Optional.of(Duration.ofNanos(nanos));
    }

    /** Whether an {@link Expiry} says for each entry how long it lives. */
    public boolean expiresEach() {
        return deadlines.expiry() != null;
    }

    /** Whether hits, misses and loads are counted. */
    public boolean isRecordingStats() {
        return recordsStats;
    }

    /**
     * The value of a key, or null if it has none. It does not count as asked for: no statistics, no
     * time of expiry and no chance to stay changes.
     */
    public @Nullable V getIfPresentQuietly(K key) {
        return operations.reads.getQuietly(key);
    }

    /** The bytes of a key, as its codec writes them: keys are equal if these are. */
    public byte[] keyBytes(K key) {
        Scratch scratch = operations.turns.begin(key);
        try {
            return Arrays.copyOf(scratch.key, scratch.keyBytes);
        } finally {
            operations.turns.end(scratch);
        }
    }

    /** What the entry of a key takes, with header and handle; empty if there is none. */
    public OptionalLong bytesOf(K key) {
        long bytes = operations.reads.footprint(key);
        return bytes < 0 ? OptionalLong.empty() : OptionalLong.of(bytes);
    }

    /**
     * The entries that were asked for most often lately, the most wanted first. Goes through the
     * whole cache.
     *
     * @param count how many at most, 0 or more
     * @return an unmodifiable map of copies
     */
    public Map<K, V> hottest(int count) {
        return first(count, store::score, true);
    }

    /**
     * The entries that were asked for least often lately, the least wanted first. Goes through the
     * whole cache.
     *
     * @param count how many at most, 0 or more
     * @return an unmodifiable map of copies
     */
    public Map<K, V> coldest(int count) {
        return first(count, store::score, false);
    }

    /**
     * The entries that will expire next, if nothing happens, the next one first. Goes through the
     * whole cache.
     *
     * @param count how many at most, 0 or more
     * @return an unmodifiable map of copies; empty if the cache was built without any expiry
     */
    public Map<K, V> oldest(int count) {
        return first(deadlines.isOn() ? count : 0, store.entries.layout::deadline, false);
    }

    /**
     * The entries that will expire last, the last one first. Goes through the whole cache.
     *
     * @param count how many at most, 0 or more
     * @return an unmodifiable map of copies; empty if the cache was built without any expiry
     */
    public Map<K, V> youngest(int count) {
        return first(deadlines.isOn() ? count : 0, store.entries.layout::deadline, true);
    }

    /** Those of the highest scores, or of the lowest, in this order. */
    private Map<K, V> first(int count, ToLongFunction<byte[]> score, boolean highest) {
        if (count < 0) {
            throw new IllegalArgumentException("count must be 0 or more: count=" + count);
        }
        return operations.turns.run(() -> firstNow(count, score, highest));
    }

    private Map<K, V> firstNow(int count, ToLongFunction<byte[]> score, boolean highest) {
        if (count == 0) {
            return Map.of();
        }
        record Scored(long score, Met met) {}
        Comparator<Scored> ascending = Comparator.comparingLong(Scored::score);
        PriorityQueue<Scored> best =
                new PriorityQueue<>(highest ? ascending : ascending.reversed());
        Cursor cursor = new Cursor(store);
        for (List<Met> found = cursor.next(); found != null; found = cursor.next()) {
            for (Met met : found) {
                if (!operations.turns.isExpired(met)) {
                    best.add(new Scored(score.applyAsLong(met.bytes), met));
                    if (best.size() > count) {
                        best.remove();
                    }
                }
            }
        }
        List<Met> worstFirst = new ArrayList<>();
        while (!best.isEmpty()) {
            worstFirst.add(best.remove().met);
        }
        Map<K, V> result = new LinkedHashMap<>();
        for (Met met : worstFirst.reversed()) {
            EntryCodec.Pair<K, V> pair = codec.read(met, codec::pair);
            if (pair != null) {
                result.put(pair.key(), pair.value());
            }
        }
        return Collections.unmodifiableMap(result);
    }
}
