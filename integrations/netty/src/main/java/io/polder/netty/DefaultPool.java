package io.polder.netty;

import io.polder.MemoryPool;

import org.jspecify.annotations.Nullable;

/**
 * The pool of {@link PolderByteBufAllocator#DEFAULT}: a new one, or one that was given before.
 *
 * <p>Polder's agent gives one. It loads this package once for each class loader that has a Netty,
 * and a pool outlives loaders that come and go.
 *
 * <p>Thread-safe.
 */
final class DefaultPool {
    private static @Nullable MemoryPool given;

    private DefaultPool() {}

    /** Has {@code pool} taken, if none was yet. The agent calls it by reflection. */
    static synchronized void give(MemoryPool pool) {
        given = pool;
    }

    /** The pool. */
    static synchronized MemoryPool take() {
        MemoryPool pool = given;
        return pool == null ? MemoryPool.builder().name("netty").build() : pool;
    }
}
