package io.polder.lab.experiments.blocks;

import io.polder.BlockAllocator;
import io.polder.MemoryPool;
import io.polder.gate.GateFence;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Polder, on a pool of its own. Opened when the process has tested its fence: until then, for half
 * a second after the start and some fifteen on a busy machine, blocks take a lock.
 */
final class PolderSource implements BlockSource {
    /** Longer than the test of the fence takes on a busy machine. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final MemoryPool pool = MemoryPool.builder().name("blocks").build();
    private final BlockAllocator blocks = pool.blocks();

    PolderSource() {
        GateFence fence = GateFence.choose();
        long begin = System.nanoTime();
        while (fence.isUnderTest() && System.nanoTime() - begin < PATIENCE_NANOS) {
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    @Override
    public long allocate(long bytes) {
        return blocks.allocate(bytes);
    }

    @Override
    public void free(long address) {
        blocks.free(address);
    }

    @Override
    public long reallocate(long address, long bytes) {
        return blocks.reallocate(address, bytes);
    }

    @Override
    public void giveBack() {
        pool.trim();
    }

    @Override
    public long committedBytes() {
        return pool.stats().usage().committedBytes();
    }

    @Override
    public void close() {
        pool.close();
    }
}
