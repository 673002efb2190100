package io.polder.micrometer;

import io.polder.LeakDetection;
import io.polder.MemoryPool;
import io.polder.heap.RelocatingHeap;
import io.polder.page.Page;

import java.lang.foreign.Arena;
import java.time.Duration;

/** A pool with limits, which watches for leaks and has something of each kind. */
final class BusyPool implements AutoCloseable {
    static final long COMMITTED_MAX = 64 << 20;
    static final long RESERVED_MAX = 1L << 30;

    final MemoryPool pool;
    final Arena arena;
    final Page page;
    final RelocatingHeap heap;
    private final long block;

    BusyPool(String name) {
        pool =
                MemoryPool.builder()
                        .name(name)
                        .committedMaxBytes(COMMITTED_MAX)
                        .reservedMaxBytes(RESERVED_MAX)
                        .leaks(LeakDetection.ALL)
                        .decay(Duration.ofDays(1))
                        .build();
        arena = pool.openShared();
        arena.allocate(100_000);
        page = pool.pages().allocate(4 << 20);
        heap = pool.openHeap();
        long _ = heap.allocate(1000);
        block = pool.blocks().allocateAddress(200);
    }

    @Override
    public void close() {
        pool.blocks().freeAddress(block);
        heap.close();
        page.close();
        arena.close();
        pool.close();
    }
}
