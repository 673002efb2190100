package io.polder.cache.jcache;

import java.util.Arrays;
import java.util.Collection;

/**
 * Locks that put in order what happens outside a cache with the entries of a key: calls of a writer
 * and of listeners. Caches with neither do not use them.
 *
 * <p>They are Java monitors, which the JVM gives back whatever is thrown: who calls a method for
 * that may find no stack left, and nobody could change these keys any more.
 *
 * <p>Locking: a thread that takes several takes them by ascending index. Thread-safe.
 */
final class KeyLocks {
    private static final int COUNT = 128; // a power of two; guessed: far more than processors

    private final Object[] locks = new Object[COUNT];

    KeyLocks() {
        Arrays.setAll(locks, _ -> new Object());
    }

    private static int index(Object key) {
        int hash = key instanceof byte[] bytes ? Arrays.hashCode(bytes) : key.hashCode();
        return (hash ^ (hash >>> 16)) & (COUNT - 1);
    }

    /** The monitor of a key. */
    Object of(Object key) {
        return locks[index(key)];
    }

    /** Runs with the locks of all these keys held. */
    void withAll(Collection<?> keys, Runnable action) {
        withAll(keys.stream().mapToInt(KeyLocks::index).sorted().distinct().toArray(), 0, action);
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
}
