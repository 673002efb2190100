package io.polder.cache.jcache;

import java.util.Arrays;
import java.util.Collection;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Locks that put in order what happens outside a cache with the entries of a key: calls of a writer
 * and of listeners. Caches with neither do not use them.
 *
 * <p>Locking: a thread that takes several takes them by ascending index. Thread-safe.
 */
final class KeyLocks {
    private static final int COUNT = 128; // a power of two; guessed: far more than processors

    private final ReentrantLock[] locks = new ReentrantLock[COUNT];

    KeyLocks() {
        Arrays.setAll(locks, _ -> new ReentrantLock());
    }

    private static int index(Object key) {
        int hash = key instanceof byte[] bytes ? Arrays.hashCode(bytes) : key.hashCode();
        return (hash ^ (hash >>> 16)) & (COUNT - 1);
    }

    ReentrantLock of(Object key) {
        return locks[index(key)];
    }

    /** Runs with the locks of all these keys held. */
    void withAll(Collection<?> keys, Runnable action) {
        int[] indices = keys.stream().mapToInt(KeyLocks::index).sorted().distinct().toArray();
        int taken = 0;
        try {
            for (; taken < indices.length; taken++) {
                locks[indices[taken]].lock();
            }
            action.run();
        } finally {
            while (taken > 0) {
                taken--;
                locks[indices[taken]].unlock();
            }
        }
    }
}
