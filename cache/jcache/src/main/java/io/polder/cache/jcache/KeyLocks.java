package io.polder.cache.jcache;

import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Collection;
import java.util.Queue;

/**
 * Locks that put in order what happens outside a cache with the entries of a key: calls of a writer
 * and of listeners. Caches with neither do not use them.
 *
 * <p>They are Java monitors, which the JVM gives back whatever is thrown: who calls a method for
 * that may find no stack left, and nobody could change these keys any more.
 *
 * <p>Locking: a thread that takes several takes them by ascending index. What it finds meanwhile of
 * other keys it tells listeners when it has none any more: these may change keys. Thread-safe.
 */
final class KeyLocks {
    private static final int COUNT = 128; // a power of two; guessed: far more than processors

    private final Object[] locks = new Object[COUNT];

    /** What a thread that has locks does when it has none any more. */
    private static final class Later {
        private final Queue<Runnable> calls = new ArrayDeque<>();

        /** Changed in place, since an error may keep this from being forgotten. */
        private boolean isHeld;
    }

    /** Of the running thread. */
    @SuppressWarnings("ThreadLocalUsage") // one for each cache
    private final ThreadLocal<@Nullable Later> later = new ThreadLocal<>();

    KeyLocks() {
        Arrays.setAll(locks, _ -> new Object());
    }

    private static int index(Object key) {
        int hash = key instanceof byte[] bytes ? Arrays.hashCode(bytes) : key.hashCode();
        return (hash ^ (hash >>> 16)) & (COUNT - 1);
    }

    /** Runs with the lock of a key held. */
    void with(Object key, Runnable action) {
        withAll(new int[] {index(key)}, action);
    }

    /** Runs with the locks of all these keys held. */
    void withAll(Collection<?> keys, Runnable action) {
        withAll(keys.stream().mapToInt(KeyLocks::index).sorted().distinct().toArray(), action);
    }

    private void withAll(int[] indices, Runnable action) {
        if (ofHolder() != null) {
            withAll(indices, 0, action);
            return;
        }
        Later own = new Later();
        later.set(own);
        try {
            own.isHeld = true;
            withAll(indices, 0, action);
        } finally {
            own.isHeld = false; // in place: it needs no stack
            later.remove();
            own.calls.forEach(KeyLocks::runLate);
        }
    }

    private void withAll(int[] indices, int taken, Runnable action) {
        if (taken == indices.length) {
            action.run();
            return;
        }
        synchronized (locks[indices[taken]]) {
            withAll(indices, taken + 1, action);
        }
    }

    /** Null if the running thread has no locks. */
    private @Nullable Later ofHolder() {
        Later known = later.get();
        return known != null && known.isHeld ? known : null;
    }

    /** Runs as soon as the running thread has no locks. What is thrown late is logged. */
    void whenFree(Runnable call) {
        Later holder = ofHolder();
        if (holder == null) {
            call.run();
        } else {
            holder.calls.add(call);
        }
    }

    private static void runLate(Runnable call) {
        try {
            call.run();
        } catch (Throwable thrown) {
            Warnings.log("a listener of a cache has thrown", thrown);
        }
    }
}
