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
 *
 * <p>Thread-safe.
 */
final class Computing<K, V> {
    private final Store store;
    private final Recorder recorder;
    private final Turns<K, V> turns;
    private final Reads<K, V> reads;
    private final Writes<K, V> writes;
    private final Removed<K, V> removed;

    Computing(Turns<K, V> turns, Reads<K, V> reads, Writes<K, V> writes, Removed<K, V> removed) {
        this.removed = removed;
        this.store = turns.store;
        this.recorder = turns.recorder;
        this.turns = turns;
        this.reads = reads;
        this.writes = writes;
    }

    private Computation computation(K key) {
        Scratch scratch = turns.begin(key);
        try {
            return new Computation(scratch);
        } finally {
            turns.end(scratch);
        }
    }

    /** The value of a key, loaded if it has none; null if the loader has none either. */
    @Nullable V load(K key, Function<? super K, ? extends @Nullable V> loader) {
        Computation own = computation(key);
        boolean holds = false;
        try {
            store.begin(own);
            holds = removed.hold();
            V known = find(key, own);
            if (known != null) {
                return known;
            }
            V loaded = removed.unheld(holds, () -> timed(key, loader));
            if (loaded != null) {
                keepLoaded(key, loaded, own);
            }
            return loaded;
        } finally {
            store.computations.end(own);
            removed.release(holds);
            turns.settle();
        }
    }

    private @Nullable V find(K key, Computation own) {
        Scratch scratch = turns.begin(own);
        try {
            return reads.find(key, scratch);
        } finally {
            turns.end(scratch);
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

    private void keepLoaded(K key, V loaded, Computation own) {
        Scratch scratch = turns.begin(own);
        try {
            if (writes.keepsLoaded(scratch, loaded)) {
                writes.putAny(scratch, key, loaded, null, own);
            }
        } finally {
            turns.end(scratch);
        }
    }

    /** As {@link java.util.concurrent.ConcurrentHashMap#compute} does: the function runs once. */
    @Nullable V compute(
            K key,
            BiFunction<? super K, ? super @Nullable V, ? extends @Nullable V> function,
            @Nullable Duration lifetime) {
        Computation own = computation(key);
        boolean holds = false;
        try {
            store.begin(own);
            holds = removed.hold();
            V known = findQuietly(own);
            V computed = removed.unheld(holds, () -> function.apply(key, known));
            if (computed != null || known != null) {
                exchange(key, computed, lifetime, own);
            }
            return computed;
        } finally {
            store.computations.end(own);
            removed.release(holds);
            turns.settle();
        }
    }

    private @Nullable V findQuietly(Computation own) {
        Scratch scratch = turns.begin(own);
        try {
            return reads.findQuietly(scratch);
        } finally {
            turns.end(scratch);
        }
    }

    /** Puts what was computed; removes what is there if that is null. */
    private void exchange(
            K key, @Nullable V computed, @Nullable Duration lifetime, Computation own) {
        Scratch scratch = turns.begin(own);
        try {
            if (computed != null) {
                writes.putAny(scratch, key, computed, lifetime, own);
                return;
            }
            long was = store.exchange(scratch, Store.ANY, Store.NONE, own);
            if (was != Store.NONE) {
                store.retire(was, RemovalCause.EXPLICIT);
            }
        } finally {
            turns.end(scratch);
        }
    }
}
