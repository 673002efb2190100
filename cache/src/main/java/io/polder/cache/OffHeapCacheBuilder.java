package io.polder.cache;

import io.polder.MemoryPool;
import io.polder.PoolStatistics;
import io.polder.heap.HeapOptions;
import io.polder.heap.RelocatingHeap;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.function.LongSupplier;

/**
 * Builds caches. Not thread-safe; may be used again.
 *
 * @param <K> the type of keys
 * @param <V> the type of values
 */
public final class OffHeapCacheBuilder<K, V> {
    /** The smallest limit in bytes, 16 MiB: some pages of 2 MiB of a heap, and the index. */
    public static final long MAXIMUM_BYTES_MIN = 16L << 20;

    /**
     * A heap in which things die all the time: half of a processor may be at work in it, or a whole
     * one where there are four or more, which put as much more.
     */
    private static final double COMPACTION_SHARE =
            Runtime.getRuntime().availableProcessors() < 4 ? 0.5 : 1;

    private long maximumBytes = Long.MAX_VALUE;
    private long maximumEntries = Long.MAX_VALUE;
    private @Nullable Duration afterWrite;
    private @Nullable Duration afterAccess;
    private @Nullable Expiry<? super K, ? super V> expiry;
    private @Nullable Codec<K> keyCodec;
    private @Nullable Codec<V> valueCodec;
    private @Nullable RemovalListener<? super K, ? super V> listener;
    private Set<RemovalCause> listenedCauses = Set.of();
    private boolean recordsStats;
    private Executor executor = ForkJoinPool.commonPool();
    private LongSupplier ticker = System::nanoTime;
    private @Nullable MemoryPool pool;
    private String name = "";
    private Hash hash = Hash.seeded(Hash.seed(Hash.RANDOM_FILE));

    OffHeapCacheBuilder() {}

    /**
     * Limits what the cache holds: keys, values, their headers and handles, the index, and what is
     * dead and not yet compacted away. What the heap holds is measured after each MiB or so that is
     * put, so the cache may hold more for a while: where it is an eighth more, puts wait for
     * compaction, up to 50 ms. Where it is twice as much, a new entry is as if it had been evicted
     * at once, until compaction gets on: so it is where somebody {@linkplain OffHeapCache#read
     * reads} a large entry for long. No limit if not set; the limit of the pool holds at every
     * moment.
     *
     * @param bytes {@link #MAXIMUM_BYTES_MIN} or more
     */
    public OffHeapCacheBuilder<K, V> maximumBytes(long bytes) {
        maximumBytes = checkBytes(bytes);
        return this;
    }

    static long checkBytes(long bytes) {
        if (bytes < MAXIMUM_BYTES_MIN) {
            throw new IllegalArgumentException(
                    "maximumBytes must be "
                            + MAXIMUM_BYTES_MIN
                            + " or more: maximumBytes="
                            + bytes);
        }
        return bytes;
    }

    /**
     * Limits the number of entries; no limit if not set. A put evicts for as long as that does not
     * take long: a cache of thousands may have an entry more for a while, and so may one into which
     * several threads put.
     *
     * @param entries 1 or more
     */
    public OffHeapCacheBuilder<K, V> maximumEntries(long entries) {
        maximumEntries = checkEntries(entries);
        return this;
    }

    static long checkEntries(long entries) {
        if (entries < 1) {
            throw new IllegalArgumentException(
                    "maximumEntries must be 1 or more: maximumEntries=" + entries);
        }
        return entries;
    }

    /**
     * Has entries expire so long after they were put.
     *
     * @throws IllegalArgumentException if the duration is negative
     */
    public OffHeapCacheBuilder<K, V> expireAfterWrite(Duration duration) {
        long _ = Deadlines.nanos(duration);
        afterWrite = duration;
        return this;
    }

    /**
     * Has entries expire so long after they were put or read last.
     *
     * @throws IllegalArgumentException if the duration is negative
     */
    public OffHeapCacheBuilder<K, V> expireAfterAccess(Duration duration) {
        long _ = Deadlines.nanos(duration);
        afterAccess = duration;
        return this;
    }

    /**
     * Has each entry expire as is said for it. A put takes the memory of a value that was replaced
     * before only if its entry expires later than that one would have.
     */
    public OffHeapCacheBuilder<K, V> expireAfter(Expiry<? super K, ? super V> each) {
        expiry = Objects.requireNonNull(each, "each");
        return this;
    }

    /** Sets how keys become bytes; must be set. */
    public OffHeapCacheBuilder<K, V> keyCodec(Codec<K> codec) {
        keyCodec = Objects.requireNonNull(codec, "codec");
        return this;
    }

    /** Sets how values become bytes; must be set. */
    public OffHeapCacheBuilder<K, V> valueCodec(Codec<V> codec) {
        valueCodec = Objects.requireNonNull(codec, "codec");
        return this;
    }

    /**
     * Sets who is told of what is removed, and replaced. It costs decoding each entry that is: name
     * the causes if {@link RemovalCause#REPLACED} is not wanted.
     */
    public OffHeapCacheBuilder<K, V> removalListener(RemovalListener<? super K, ? super V> told) {
        return removalListener(told, EnumSet.allOf(RemovalCause.class));
    }

    /**
     * Sets who is told of what is removed for one of these causes. What is removed for another one
     * is not decoded.
     */
    public OffHeapCacheBuilder<K, V> removalListener(
            RemovalListener<? super K, ? super V> told, Set<RemovalCause> causes) {
        listener = Objects.requireNonNull(told, "told");
        listenedCauses = Set.copyOf(causes);
        return this;
    }

    /** Has hits, misses and loads counted. */
    public OffHeapCacheBuilder<K, V> recordStats() {
        recordsStats = true;
        return this;
    }

    /**
     * Sets what tells the removal listener; {@link ForkJoinPool#commonPool} if not set. Where it
     * runs in the thread that calls, an operation takes as long as the listener; and as one thread
     * at a time keeps the limits, there may be as many entries too many as are put meanwhile.
     */
    public OffHeapCacheBuilder<K, V> executor(Executor used) {
        executor = Objects.requireNonNull(used, "used");
        return this;
    }

    /**
     * Sets a clock of nanoseconds; {@link System#nanoTime} if not set. It may be asked with a lock
     * of the cache held: it must not change the cache, nor wait for a thread that uses it.
     */
    public OffHeapCacheBuilder<K, V> ticker(LongSupplier nanos) {
        ticker = Objects.requireNonNull(nanos, "nanos");
        return this;
    }

    /**
     * Sets whose memory the cache has; that of {@link MemoryPool#common} if not set. The cache
     * frees entries when others of the pool want memory and a limit is in the way, and when the
     * system says that memory is short, as {@link MemoryPool#addShrinker} says: 2 MiB at least at a
     * time, which may be all that a small cache has.
     */
    public OffHeapCacheBuilder<K, V> pool(MemoryPool used) {
        pool = Objects.requireNonNull(used, "used");
        return this;
    }

    /**
     * Sets by what name reports of the pool have it; none if not set. Several caches may have one
     * name.
     */
    public OffHeapCacheBuilder<K, V> name(String used) {
        name = Objects.requireNonNull(used, "used");
        return this;
    }

    /** For tests: which keys collide. */
    OffHeapCacheBuilder<K, V> hash(Hash used) {
        hash = used;
        return this;
    }

    /**
     * Builds a cache.
     *
     * @throws IllegalStateException if a codec is missing, or gives no format or fixedBytes of less
     *     than -1, or more than one rule says when entries expire, or the pool is closed
     * @throws UnsupportedOperationException if native access is denied to module {@code io.polder}
     * @throws OutOfMemoryError if the pool has no memory for an empty cache
     */
    public OffHeapCache<K, V> build() {
        Codec<K> keys = keyCodec;
        Codec<V> values = valueCodec;
        if (keys == null || values == null) {
            throw new IllegalStateException("keyCodec and valueCodec must be set");
        }
        int rules =
                (afterWrite == null ? 0 : 1)
                        + (afterAccess == null ? 0 : 1)
                        + (expiry == null ? 0 : 1);
        if (rules > 1) {
            throw new IllegalStateException(
                    "only one of expireAfterWrite, expireAfterAccess and expireAfter may be set");
        }
        Deadlines<K, V> deadlines =
                new Deadlines<>(
                        ticker,
                        ticker.getAsLong(),
                        afterWrite == null ? Deadlines.OFF : Deadlines.nanos(afterWrite),
                        afterAccess == null ? Deadlines.OFF : Deadlines.nanos(afterAccess),
                        expiry);
        MemoryPool used = pool == null ? MemoryPool.common() : pool;
        RelocatingHeap heap =
                used.openHeap(HeapOptions.DEFAULT.withCompactionShare(COMPACTION_SHARE));
        Lines lines = new Lines(used);
        boolean built = false;
        try {
            EntryLayout layout = new EntryLayout(deadlines.isOn(), EntryCodec.fixedBytes(keys));
            Removed<K, V> removed = new Removed<>(listener, listenedCauses, executor);
            Store store =
                    new Store(
                            heap,
                            lines,
                            new Entries(heap, layout, hash, deadlines.changeWithReads()),
                            limit(used.stats()),
                            maximumBytes,
                            maximumEntries,
                            deadlines::now,
                            removed);
            EntryCodec<K, V> codec = new EntryCodec<>(store, keys, values);
            removed.setCodec(codec);
            Recorder recorder = new Recorder(recordsStats, store.counts);
            Turns<K, V> turns = new Turns<>(store, codec, deadlines, recorder);
            String format = EntryCodec.format(keys) + " " + EntryCodec.format(values);
            OffHeapCache<K, V> cache =
                    new OffHeapCache<>(name, format, used, new Operations<>(turns, removed, true));
            built = true;
            return cache;
        } finally {
            if (!built) {
                lines.close();
                heap.close();
            }
        }
    }

    /** What a pool may have at most. */
    private static long limit(PoolStatistics stats) {
        long committed = stats.committedMaxBytes();
        long reserved = stats.reservedMaxBytes();
        return Math.min(
                committed < 0 ? Long.MAX_VALUE : committed,
                reserved < 0 ? Long.MAX_VALUE : reserved);
    }
}
