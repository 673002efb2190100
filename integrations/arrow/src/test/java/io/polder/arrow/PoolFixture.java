package io.polder.arrow;

import io.polder.MemoryPool;

import org.apache.arrow.memory.BufferAllocator;
import org.junit.jupiter.api.AfterEach;

import java.time.Duration;

/** A pool for a test, and an allocator of it; nothing may be left in them afterwards. */
abstract class PoolFixture {
    final MemoryPool pool;
    final BufferAllocator allocator;

    PoolFixture(String name) {
        pool =
                MemoryPool.builder()
                        .name(name)
                        .decay(Duration.ofHours(1)) // so that a trim gives all back at once
                        .build();
        allocator = PoolAllocator.of(pool);
    }

    @AfterEach
    void nothingIsLeft() {
        PoolAllocator.close(allocator, pool);
    }
}
