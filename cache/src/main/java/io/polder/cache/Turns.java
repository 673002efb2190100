package io.polder.cache;

import io.polder.cache.Computations.Computation;

import org.jspecify.annotations.Nullable;

import java.util.Objects;
import java.util.function.Function;

/**
 * What every operation of a cache begins and ends with: its key in a scratch, if the cache is open;
 * and what the change of an entry leaves to do.
 *
 * <p>Thread-safe.
 */
final class Turns<K, V> {
    static final String CLOSED = "the cache is closed";

    /** What is done with the whole cache. */
    interface Operation<R extends @Nullable Object, E extends Exception> {
        R run() throws E;
    }

    final Store store;
    final EntryCodec<K, V> codec;
    final Deadlines<K, V> deadlines;
    final Recorder recorder;
    private volatile boolean closed;

    Turns(Store store, EntryCodec<K, V> codec, Deadlines<K, V> deadlines, Recorder recorder) {
        this.store = store;
        this.codec = codec;
        this.deadlines = deadlines;
        this.recorder = recorder;
    }

    void close() {
        closed = true;
    }

    void checkOpen() {
        if (closed) {
            throw new IllegalStateException(CLOSED);
        }
    }

    /**
     * What an operation throws, which has thrown this. While the cache is closed, its heap and its
     * lines refuse whatever they are asked, each in its own words; the program knows neither.
     */
    IllegalStateException told(IllegalStateException thrown) {
        return store.entries.isOpen() ? thrown : new IllegalStateException(CLOSED, thrown);
    }

    boolean isExpired(Met met) {
        return store.isExpired(store.entries.layout.deadline(met.bytes));
    }

    Scratch begin(K key) {
        Objects.requireNonNull(key, "key");
        checkOpen();
        Scratch scratch = store.scratches.take();
        boolean ready = false;
        try {
            codec.setKey(key, scratch);
            ready = true;
            return scratch;
        } finally {
            if (!ready) {
                end(scratch);
            }
        }
    }

    /**
     * The same for a change, which waits for computations of its key: it does so here, where it
     * holds no scratch meanwhile. One may begin after that.
     */
    Scratch beginChange(K key) {
        Scratch scratch = begin(key);
        boolean held = true;
        try {
            Computation other = store.computations.find(scratch, null);
            while (other != null) {
                Computation own = new Computation(scratch); // which has the key
                held = false;
                end(scratch);
                other.await();
                scratch = begin(own);
                held = true;
                other = store.computations.find(scratch, null);
            }
            held = false;
            return scratch;
        } finally {
            if (held) {
                end(scratch);
            }
        }
    }

    /** For the key of a computation, of which somebody may have waited for the end. */
    Scratch begin(Computation own) {
        checkOpen();
        Scratch scratch = store.scratches.take();
        own.setKey(scratch);
        return scratch;
    }

    void end(Scratch scratch) {
        store.scratches.give(scratch);
    }

    /** Does something with what {@link #begin} has returned, and ends it. */
    <R extends @Nullable Object> R with(Scratch scratch, Function<Scratch, R> operation) {
        try {
            return operation.apply(scratch);
        } catch (IllegalStateException thrown) {
            throw told(thrown);
        } finally {
            end(scratch);
        }
    }

    /** The same from {@link #beginChange} on, and settles then. */
    <R extends @Nullable Object> R change(K key, Function<Scratch, R> operation) {
        Scratch scratch = beginChange(key);
        try {
            return with(scratch, operation);
        } finally {
            settle();
        }
    }

    /** Does something with the whole cache. */
    <R extends @Nullable Object, E extends Exception> R run(Operation<R, E> operation) throws E {
        checkOpen();
        try {
            return operation.run();
        } catch (IllegalStateException thrown) {
            throw told(thrown);
        }
    }

    void run(Runnable operation) {
        boolean _ =
                run(
                        () -> {
                            operation.run();
                            return true;
                        });
    }

    /** After a change, with nothing in hand. If the cache was closed meanwhile, that is all. */
    void settle() {
        try {
            store.eviction.keepLimits();
            store.resize();
            if (deadlines.isOn()) {
                store.eviction.sweep();
            }
        } catch (IllegalStateException thrown) {
            if (store.entries.isOpen()) {
                throw thrown;
            }
        }
    }
}
