package io.polder.netty;

import io.netty.util.internal.PlatformDependent;
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
    /** The least that a pool takes for a limit. */
    private static final long LIMIT_MIN = 4 << 20;

    /** From here on a limit is none. */
    private static final long ADDRESS_SPACE = 1L << 47;

    private static @Nullable MemoryPool taken;

    private DefaultPool() {}

    /** Has {@code pool} taken, if none was yet. The agent calls it by reflection. */
    static synchronized void give(MemoryPool pool) {
        if (taken == null) {
            taken = pool;
        }
    }

    /** The pool, which is opened if it was not. */
    static synchronized MemoryPool take() {
        MemoryPool pool = taken;
        if (pool == null) {
            pool = create();
            taken = pool;
        }
        return pool;
    }

    /** A pool with the limit that Netty has for direct memory, as far as a pool can be so small. */
    private static MemoryPool create() {
        MemoryPool.Builder builder = MemoryPool.builder().name("netty");
        long limit = PlatformDependent.maxDirectMemory();
        if (limit > 0 && limit < ADDRESS_SPACE) {
            builder.committedMaxBytes(Math.max(limit, LIMIT_MIN));
        }
        return builder.build();
    }
}
