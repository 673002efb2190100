package io.polder.arrow;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.MemoryPool;

import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;

/** An allocator of Arrow's whose buffers are in blocks of a pool. */
final class PoolAllocator {
    private PoolAllocator() {}

    static BufferAllocator of(MemoryPool pool) {
        return new RootAllocator(
                RootAllocator.configBuilder()
                        .allocationManagerFactory(PolderAllocationManager.factory(pool))
                        .build());
    }

    /** Closes both; nothing may be left in the pool, whose decay is longer than a test. */
    static void close(BufferAllocator allocator, MemoryPool pool) {
        allocator.close();
        pool.trim();
        assertThat(pool.stats().blocks().usedCount()).isZero();
        assertThat(pool.stats().committedBytes()).isZero();
        pool.close();
    }
}
