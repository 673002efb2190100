package io.polder.micrometer;

import io.polder.MemoryPool;

import java.lang.ref.WeakReference;

/**
 * A pool under the name that its meters have, known by a weak reference. Its number rises at most
 * once; it is then another one, with other meters. Compared by identity.
 */
final class BoundPool {
    private final WeakReference<MemoryPool> pool;
    private final int number;
    private final String tag;

    BoundPool(MemoryPool pool, int number, String name) {
        this.pool = new WeakReference<>(pool);
        this.number = number;
        this.tag = number == 1 ? name : name + " #" + number;
    }

    /** Whether this is a pool, as it is called now. */
    boolean is(MemoryPool other, int otherNumber) {
        return pool.refersTo(other) && number == otherNumber;
    }

    /** What tag {@code pool} says. */
    String tag() {
        return tag;
    }
}
