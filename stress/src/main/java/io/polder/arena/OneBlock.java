package io.polder.arena;

import io.polder.chunk.ChunkLevel;
import io.polder.memory.MemoryProvider;

/**
 * A provider that hands out one block and has no more. It makes no system call, so that a test can
 * have one for each of its states.
 *
 * <p>It cannot uncommit: then a space asks for one root chunk at a time, and takes all of it for
 * committed.
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

    /** Called under the lock of the space that owns this provider. */
    @Override
    public long reserve(long bytes, long alignment) {
        if (taken || bytes > ChunkLevel.ROOT_BYTES) {
            throw new OutOfMemoryError("one block was enough for every test");
        }
        taken = true;
        return block;
    }

    @Override
    public long osPageSize() {
        return 4096;
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
}
