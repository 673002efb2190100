package io.polder.arena;

import io.polder.memory.KernelLimits;
import io.polder.memory.MemoryProvider;

import java.lang.foreign.MemorySegment;

/**
 * A provider that hands out one block and has no more. It makes no system call, so that a test can
 * have one for each of its states.
 */
public final class OneBlock implements MemoryProvider {
    /** A block that has addresses and no memory, for tests that look at addresses only. */
    static final long NO_MEMORY = 1L << 40;

    private final long block;
    private boolean taken;

    /** A provider of the block at this address. */
    public OneBlock(long block) {
        this.block = block;
    }

    @Override
    public String name() {
        return "one block";
    }

    /** Called under the lock of the source that owns this provider. */
    @Override
    public long reserve(long bytes, long alignment) {
        if (taken) {
            throw new OutOfMemoryError("one block was enough for every test");
        }
        taken = true;
        return block;
    }

    @Override
    public boolean adviseHugePages(long address, long bytes, boolean wanted) {
        return false;
    }

    @Override
    public KernelLimits limits() {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean canUncommit() {
        return false;
    }

    @Override
    public boolean canRemap() {
        return false;
    }

    @Override
    public void release(long address, long bytes) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void commit(long address, long bytes) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void populate(long address, long bytes) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void uncommit(long address, long bytes) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void uncommit(long[] addresses, long[] sizes, int count) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void remap(long from, long to, long bytes) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void renew(long address, long bytes) {
        throw new UnsupportedOperationException();
    }

    @Override
    public MemorySegment segment(long address, long bytes) {
        throw new UnsupportedOperationException();
    }
}
