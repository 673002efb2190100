package io.polder.cache;

import io.polder.cache.Computations.Computation;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * Tells the listener of a cache what was removed, by the executor of the cache.
 *
 * <p>What a listener does may make more entries leave. If the executor runs it in the thread that
 * calls, it is told of them when it has returned, one after the other. Nor is it called while its
 * thread computes a value: others wait for that who write to the key, and it may write as well.
 *
 * <p>Failure: what the executor or the listener throws is logged, and what the codec throws is for
 * the first of such entries, the second, the fourth, and so on; the entry is freed. Nothing is told
 * of what cannot be read since the cache was closed meanwhile. What an error keeps from being told,
 * the end of a stack for instance, is told with what the thread tells next, or lost.
 *
 * <p>Thread-safe.
 */
final class Removed<K, V> implements Store.Removals {
    private final @Nullable RemovalListener<? super K, ? super V> listener;
    private final Set<RemovalCause> causes;
    private final Executor executor;
    final AtomicLong unread = new AtomicLong();
    private @Nullable EntryCodec<K, V> codec;

    /** What a thread has to tell later, one after the other. */
    static final class Waiting {
        private final Deque<Runnable> calls = new ArrayDeque<>();

        /** For the end of which it waits; null if it waits for what is told before it. */
        private final @Nullable Computation own;

        private boolean isTelling;

        private Waiting(@Nullable Computation own) {
            this.own = own;
        }

        /** Whether it is told by and by; it is not where an error has cut that short. */
        private boolean isInUse() {
            return isTelling || (own != null && !own.isEnded);
        }
    }

    /** Of the running thread. */
    @SuppressWarnings("ThreadLocalUsage") // one for each cache
    private final ThreadLocal<@Nullable Waiting> later = new ThreadLocal<>();

    /**
     * @param causes for which the listener is told
     */
    Removed(
            @Nullable RemovalListener<? super K, ? super V> listener,
            Set<RemovalCause> causes,
            Executor executor) {
        this.listener = listener;
        this.causes = causes;
        this.executor = executor;
    }

    /** Before anything is removed. */
    void setCodec(EntryCodec<K, V> used) {
        codec = used;
    }

    @Override
    public void removed(long handle, RemovalCause cause) {
        EntryCodec<K, V> used = codec;
        if (used != null && isToldOf(cause)) {
            tell(used, () -> used.pair(handle), cause);
        }
    }

    /** Tells of an entry that was never there, by the bytes of its key and value. */
    void tellBytes(byte[] key, MemorySegment value, RemovalCause cause) {
        EntryCodec<K, V> used = codec;
        if (used != null && isToldOf(cause)) {
            tell(used, () -> used.pair(key, value), cause);
        }
    }

    /** Whether the listener is told of what left for a reason. */
    boolean isToldOf(RemovalCause cause) {
        return listener != null && causes.contains(cause);
    }

    private void tell(
            EntryCodec<K, V> used, Supplier<EntryCodec.Pair<K, V>> reader, RemovalCause cause) {
        try {
            EntryCodec.Pair<K, V> pair = reader.get();
            tell(pair.key(), pair.value(), cause);
        } catch (Throwable thrown) {
            if (!used.entries.isOpen()) {
                return; // the cache was closed, and its entries are gone
            }
            long count = unread.incrementAndGet();
            if (Long.bitCount(count) == 1) {
                warn(
                        "the codec of a cache could not read a removed entry: so far=" + count,
                        thrown);
            }
        }
    }

    void tell(K key, V value, RemovalCause cause) {
        RemovalListener<? super K, ? super V> told = listener;
        if (told == null || !causes.contains(cause)) {
            return;
        }
        Runnable call = () -> call(told, key, value, cause);
        Waiting waiting = later.get();
        if (waiting == null) {
            waiting = new Waiting(null);
            later.set(waiting);
        }
        waiting.calls.add(call);
        if (!waiting.isInUse()) {
            tellAll(waiting);
        }
    }

    private void tellAll(Waiting waiting) {
        waiting.isTelling = true;
        try {
            Deque<Runnable> calls = waiting.calls;
            for (Runnable next = calls.poll(); next != null; next = calls.poll()) {
                execute(next);
            }
        } finally {
            waiting.isTelling = false; // in place: it needs no stack
            later.remove();
        }
    }

    /**
     * Has what the running thread has to tell wait.
     *
     * @param own until this has ended
     * @return null if it waits already
     */
    @Nullable Waiting hold(Computation own) {
        if (listener == null) {
            return null;
        }
        Waiting known = later.get();
        if (known != null && known.isInUse()) {
            return null;
        }
        Waiting held = new Waiting(own);
        if (known != null) {
            held.calls.addAll(known.calls);
        }
        later.set(held);
        return held;
    }

    /**
     * Runs a function of the program: what that removes does not wait.
     *
     * @param held what {@link #hold} has returned
     */
    <T extends @Nullable Object> T unheld(@Nullable Waiting held, Supplier<T> function) {
        if (held == null) {
            return function.get();
        }
        later.remove();
        try {
            return function.get();
        } finally {
            later.set(held);
        }
    }

    /** Tells what has waited, if {@link #hold} has returned something. */
    void release(@Nullable Waiting held) {
        if (held != null) {
            tellAll(held);
        }
    }

    private void execute(Runnable call) {
        try {
            executor.execute(call);
        } catch (Throwable rejected) {
            warn("the executor of a cache refused to tell its removal listener", rejected);
        }
    }

    private static <K, V> void call(
            RemovalListener<? super K, ? super V> told, K key, V value, RemovalCause cause) {
        try {
            told.onRemoval(key, value, cause);
        } catch (Throwable thrown) {
            warn("the removal listener of a cache has thrown", thrown);
        }
    }

    /** At the end of a stack another thread logs: a first use there breaks a logger for good. */
    private static void warn(String message, Throwable thrown) {
        try {
            if (thrown instanceof StackOverflowError
                    || thrown.getCause() instanceof StackOverflowError) {
                new Thread(() -> log(message, thrown), "polder-cache-log").start();
            } else {
                log(message, thrown);
            }
        } catch (Throwable _) {
            // It is lost.
        }
    }

    /** A logger that throws, as some do where the Java heap is full, fails no operation. */
    private static void log(String message, Throwable thrown) {
        try {
            System.getLogger("io.polder.cache").log(System.Logger.Level.WARNING, message, thrown);
        } catch (Throwable _) {
            // It is lost.
        }
    }
}
