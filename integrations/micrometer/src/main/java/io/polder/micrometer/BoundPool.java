package io.polder.micrometer;

import io.polder.MemoryPool;

import java.lang.ref.WeakReference;

/**
 * A pool under the tag that its meters have, known by a weak reference. Its number rises at most
 * once; it is then another one, with other meters. Compared by identity.
 */
final class BoundPool {
    private final WeakReference<MemoryPool> pool;
    private final String name;
    private final int number;
    private final String tag;

    /**
     * @param tag tells it from all others in its registry
     */
    BoundPool(MemoryPool pool, String name, int number, String tag) {
        this.pool = new WeakReference<>(pool);
        this.name = name;
        this.number = number;
        this.tag = tag;
    }

    /** Whether this is a pool, as it is called now. */
    boolean is(MemoryPool other, int otherNumber) {
        return pool.refersTo(other) && number == otherNumber;
    }

    /** Whether this has a name and a number, which no two pools have that are open. */
    boolean isCalled(String otherName, int otherNumber) {
        return number == otherNumber && name.equals(otherName);
    }

    /** What tag {@code pool} says. */
    String tag() {
        return tag;
    }
}
