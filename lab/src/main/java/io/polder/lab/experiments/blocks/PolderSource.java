package io.polder.lab.experiments.blocks;

import io.polder.BlockAllocator;
import io.polder.MemoryPool;

/** Polder, on a pool of its own. */
final class PolderSource implements BlockSource {
    private final MemoryPool pool = MemoryPool.builder().name("blocks").build();
    private final BlockAllocator blocks = pool.blocks();

    @Override
    public long allocate(long bytes) {
        return blocks.allocateAddress(bytes);
    }

    @Override
    public void free(long address) {
        blocks.freeAddress(address);
    }

    @Override
    public long reallocate(long address, long bytes) {
        return blocks.reallocateAddress(address, bytes);
    }

    @Override
    public void giveBack() {
        pool.trim();
    }

    @Override
    public long committedBytes() {
        return pool.stats().committedBytes();
    }

    @Override
    public void close() {
        pool.close();
    }
}
