package io.polder.arrow;

import io.polder.BlockAllocator;
import io.polder.MemoryPool;

import org.apache.arrow.memory.AllocationManager;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.OutOfMemoryException;
import org.apache.arrow.memory.ReferenceManager;
import org.jspecify.annotations.Nullable;

/**
 * What makes the memory of Arrow's buffers in blocks of one pool.
 *
 * <p><b>Failure.</b> The block comes first: where there is none, Arrow has not heard of it, and
 * where Arrow refuses, for a closed allocator, the block is freed.
 */
final class BlockFactory implements AllocationManager.Factory {
    final MemoryPool pool;

    /** Null where native access is denied; {@link #denial} says so. */
    private final @Nullable BlockAllocator blocks;

    private final @Nullable UnsupportedOperationException denial;

    /**
     * A buffer without memory: nobody releases it. Null until it is first asked for, and then one
     * of the equal ones that threads made.
     */
    private @Nullable ArrowBuf empty;

    BlockFactory(MemoryPool pool) {
        this.pool = pool;
        BlockAllocator its = null;
        UnsupportedOperationException why = null;
        try {
            its = pool.blocks();
        } catch (UnsupportedOperationException denied) {
            why = denied;
        }
        this.blocks = its;
        this.denial = why;
    }

    private BlockAllocator blocks() {
        BlockAllocator its = blocks;
        if (its == null) {
            Module polder = MemoryPool.class.getModule();
            throw new UnsupportedOperationException(
                    "Arrow's buffers cannot be in memory of Polder, since native access is denied:"
                            + " start Java with --enable-native-access="
                            + (polder.isNamed() ? polder.getName() : "ALL-UNNAMED"),
                    denial);
        }
        return its;
    }

    @Override
    public AllocationManager create(BufferAllocator accounting, long size) {
        BlockAllocator its = blocks();
        long address = allocate(its, size);
        try {
            return new PolderAllocationManager(accounting, its, address, size);
        } catch (Throwable failure) {
            freeAfter(failure, its, address);
            throw failure;
        }
    }

    /** Frees a block all the same: a free that tells of misuse, once, has freed nothing. */
    static void freeAfter(Throwable failure, BlockAllocator its, long address) {
        try {
            its.freeAddress(address);
        } catch (IllegalStateException misuse) {
            failure.addSuppressed(misuse);
            freeAfter(failure, its, address);
        }
    }

    private long allocate(BlockAllocator its, long size) {
        try {
            return its.allocateAddress(size);
        } catch (OutOfMemoryError exhausted) {
            throw new OutOfMemoryException(
                    "no memory for a buffer of Arrow: size=" + size + ": " + exhausted.getMessage(),
                    exhausted);
        }
    }

    @Override
    @SuppressWarnings("NullAway") // Arrow says null where nobody manages a buffer
    public ArrowBuf empty() {
        BlockAllocator _ = blocks();
        ArrowBuf made = empty;
        if (made == null) {
            made = new ArrowBuf(ReferenceManager.NO_OP, null, 0, 0);
            empty = made;
        }
        return made;
    }

    @Override
    public String toString() {
        return "PolderAllocationManager[" + pool + "]";
    }
}
