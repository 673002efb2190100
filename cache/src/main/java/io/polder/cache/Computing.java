package io.polder.cache;

import io.polder.cache.Computations.Computation;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * What a cache does with one key by a function of the program, which runs once and without a lock:
 * others that write to the key wait until it has ended. The listener is told after that. While it
 * runs, or waits for another one, no {@link Scratch} is taken: there may be very many such threads.
 * So it is with those who write and wait for it, unless it begins while they write.
 *
 * <p>Thread-safe.
 */
final class Computing<K, V> {
    private final Store store;
    private final Recorder recorder;
    private final Turns<K, V> turns;
    private final Reads<K, V> reads;
    private final Writes<K, V> writes;
    private final Writes<K, V> loadedWrites;
    private final Removed<K, V> removed;

    Computing(Operations<K, V> others, Removed<K, V> removed) {
        this.removed = removed;
        this.turns = others.turns;
        this.store = turns.store;
        this.recorder = turns.recorder;
        this.reads = others.reads;
        this.writes = others.writes;
        this.loadedWrites = others.loaded;
    }

    private Computation computation(K key) {
        return turns.with(turns.begin(key), Computation::new);
    }

    /**
     * The value of a key, loaded if it has none; null if the loader has none either. The thread
     * that calls the loader has a miss; others have a hit, also if they have waited for it.
     */
    @Nullable V load(K key, Function<? super K, ? extends @Nullable V> loader) {
        V there = reads.get(key, false);
        if (there != null) {
            recorder.asked(true);
            return there;
        }
        Computation own = computation(key);
        Removed.Waiting held = null;
        try {
            store.begin(own);
            held = removed.hold(own);
            V known = turns.with(turns.begin(own), scratch -> reads.find(key, scratch));
            recorder.asked(known != null);
            if (known != null) {
                return known;
            }
            V loaded = removed.unheld(held, () -> timed(key, loader));
            if (loaded != null) {
                put(loadedWrites, key, loaded, null, own);
            }
            return loaded;
        } finally {
            own.isEnded = true; // in place: it needs no stack
            store.computations.forget(own);
            removed.release(held);
            turns.settle();
        }
    }

    private @Nullable V timed(K key, Function<? super K, ? extends @Nullable V> loader) {
        long begin = System.nanoTime();
        boolean success = false;
        try {
            V loaded = loader.apply(key);
            success = loaded != null;
            return loaded;
        } finally {
            recorder.loaded(success, System.nanoTime() - begin);
        }
    }

    private void put(
            Writes<K, V> by, K key, V value, @Nullable Duration lifetime, Computation own) {
        boolean _ =
                turns.with(
                        turns.begin(own), scratch -> by.putAny(scratch, key, value, lifetime, own));
    }

    /** As {@link java.util.concurrent.ConcurrentHashMap#compute} does: the function runs once. */
    @Nullable V compute(
            K key,
            BiFunction<? super K, ? super @Nullable V, ? extends @Nullable V> function,
            @Nullable Duration lifetime) {
        Computation own = computation(key);
        Removed.Waiting held = null;
        try {
            store.begin(own);
            held = removed.hold(own);
            V known = turns.with(turns.begin(own), reads::findQuietly);
            V computed = removed.unheld(held, () -> function.apply(key, known));
            if (computed != null) {
                put(writes, key, computed, lifetime, own);
            } else if (known != null) {
                boolean _ = turns.with(turns.begin(own), found -> writes.discard(found, own));
            }
            return computed;
        } finally {
            own.isEnded = true; // in place: it needs no stack
            store.computations.forget(own);
            removed.release(held);
            turns.settle();
        }
    }
}
