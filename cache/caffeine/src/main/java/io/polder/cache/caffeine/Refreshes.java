package io.polder.cache.caffeine;

import com.github.benmanes.caffeine.cache.CacheLoader;
import com.github.benmanes.caffeine.cache.stats.CacheStats;

import io.polder.cache.OffHeapCache;

import org.jspecify.annotations.Nullable;

import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/**
 * The values of a cache that are being loaded again, each key once at a time. Keys are equal if
 * their bytes are, as for the cache.
 *
 * <p>A new value takes the place of the one that was there at the beginning, and of no other: a
 * value that was put meanwhile stays, and what is removed meanwhile stays away. It is stored by a
 * {@code compute} of the cache, for which others that write to the key wait, and which looks first
 * whether the value is still the same and the key still here. Who writes by a {@link LoadingView}
 * takes the key from here: before he removes, so that the refresh finds that, or he removes what it
 * has stored; and after he has put, which counts where an equal value comes back. He writes the
 * key's bytes for that only if some value is being loaded: a refresh is counted before it is found
 * here, and looks what is there after that.
 *
 * <p>Failure: the value stays, and what was thrown is logged and given to those who wait.
 *
 * <p>Thread-safe.
 */
final class Refreshes<K, V> {
    private static final System.Logger LOG = System.getLogger("io.polder.cache");

    private final OffHeapCache<K, V> cache;
    private final CacheLoader<? super K, V> loader;
    private final ConcurrentMap<ByteBuffer, Refresh> running = new ConcurrentHashMap<>();

    /** How many are running, or more: an error may keep one from being counted down. */
    private final AtomicInteger count = new AtomicInteger();

    private final LongAdder loads = new LongAdder();
    private final LongAdder failures = new LongAdder();
    private final LongAdder nanos = new LongAdder();

    Refreshes(OffHeapCache<K, V> cache, CacheLoader<? super K, V> loader) {
        this.cache = cache;
        this.loader = loader;
    }

    /** Whether a value may be being loaded. One that begins later sees what is there after that. */
    boolean isAny() {
        return count.get() != 0;
    }

    /** Ends a {@code compute} that must not change anything. */
    private static final class Changed extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private Changed() {
            super("the entry was changed meanwhile", null, false, false);
        }
    }

    /** Those of this moment. */
    Map<K, CompletableFuture<V>> running() {
        Map<K, CompletableFuture<V>> found = new LinkedHashMap<>();
        running.values().forEach(each -> found.put(each.key, each.own));
        return Collections.unmodifiableMap(found);
    }

    private ByteBuffer bytes(K key) {
        return ByteBuffer.wrap(cache.policy().keyBytes(key));
    }

    /** Has the value that is being loaded for a key not be stored. */
    void forget(K key) {
        if (count.get() != 0) {
            Refresh found = running.get(bytes(key));
            if (found != null) {
                boolean _ = found.forget();
            }
        }
    }

    void forgetAll() {
        running.values().forEach(Refresh::forget);
    }

    CacheStats stats() {
        return CacheStats.of(0, 0, loads.sum(), failures.sum(), nanos.sum(), 0, 0);
    }

    CompletableFuture<V> refresh(K key) {
        Objects.requireNonNull(key, "key");
        Refresh refresh;
        try {
            refresh = new Refresh(key, bytes(key));
        } catch (Exception refused) {
            return CompletableFuture.failedFuture(refused);
        }
        count.incrementAndGet();
        Refresh earlier = running.putIfAbsent(refresh.bytes, refresh);
        if (earlier != null) {
            count.decrementAndGet();
            return earlier.own;
        }
        refresh.begin();
        return refresh.own;
    }

    /** A logger that throws, as some do where the Java heap is full, fails nothing. */
    private static void warn(Throwable failure) {
        try {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "a value of a cache could not be loaded again",
                    failure);
        } catch (Throwable _) {
            // It is lost.
        }
    }

    /** One key's, from the question what is there now to the answer to those who wait. */
    private final class Refresh {
        private final K key;
        private final ByteBuffer bytes;
        private final CompletableFuture<V> own = new CompletableFuture<>();
        private final long beginNanos = System.nanoTime();
        private @Nullable V old;

        Refresh(K key, ByteBuffer bytes) {
            this.key = key;
            this.bytes = bytes;
        }

        /** Has nothing be stored from now on; returns whether something would have been. */
        boolean forget() {
            boolean forgotten = running.remove(bytes, this);
            if (forgotten) {
                count.decrementAndGet();
            }
            return forgotten;
        }

        void begin() {
            try {
                old = cache.policy().getIfPresentQuietly(key);
                CompletableFuture<V> _ = load(old).handle(this::end);
            } catch (Throwable thrown) {
                if (thrown instanceof InterruptedException) {
                    Thread.currentThread().interrupt();
                }
                V _ = end(null, thrown);
            }
        }

        private CompletableFuture<? extends V> load(@Nullable V known) throws Exception {
            CompletableFuture<? extends V> loading =
                    known == null
                            ? loader.asyncLoad(key, ForkJoinPool.commonPool())
                            : loader.asyncReload(key, known, ForkJoinPool.commonPool());
            return Objects.requireNonNull(loading, "what the loader returns");
        }

        private @Nullable V end(@Nullable V value, @Nullable Throwable thrown) {
            Throwable failure = thrown;
            try {
                if (failure == null) {
                    keep(value);
                }
            } catch (Throwable refused) {
                failure = refused;
            }
            boolean _ = forget();
            if (cache.policy().isRecordingStats()) {
                (failure == null && value != null ? loads : failures).increment();
                nanos.add(System.nanoTime() - beginNanos);
            }
            if (failure == null) {
                own.complete(value);
            } else {
                fail(failure);
            }
            return value;
        }

        private void keep(@Nullable V value) {
            if (running.get(bytes) != this || (old == null && value == null)) {
                return;
            }
            try {
                V _ =
                        cache.asMap()
                                .compute(
                                        key,
                                        (_, current) -> {
                                            if (isOld(current) && forget()) {
                                                return value;
                                            }
                                            throw new Changed();
                                        });
            } catch (Changed _) {
                // What others have done stays.
            }
        }

        private boolean isOld(@Nullable V current) {
            V known = old;
            if (known == null || current == null) {
                return known == null && current == null;
            }
            return Objects.deepEquals(known, current) || hasBytesOf(known);
        }

        private boolean hasBytesOf(V known) {
            return cache.asMap().entrySet().contains(Map.entry(key, known));
        }

        private void fail(Throwable thrown) {
            Throwable cause = thrown.getCause();
            Throwable failure =
                    thrown instanceof CompletionException && cause != null ? cause : thrown;
            own.completeExceptionally(failure);
            if (!(failure instanceof CancellationException)) {
                warn(failure);
            }
        }
    }
}
