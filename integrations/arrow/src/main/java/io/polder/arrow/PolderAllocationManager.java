package io.polder.arrow;

import io.polder.BlockAllocator;
import io.polder.MemoryPool;

import org.apache.arrow.memory.AllocationManager;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.OutOfMemoryException;
import org.jspecify.annotations.Nullable;

/**
 * The memory of one Arrow buffer, and of what is sliced from it: a block of a {@link MemoryPool}.
 *
 * <pre>{@code
 * RootAllocator allocator = new RootAllocator(
 *         RootAllocator.configBuilder()
 *                 .allocationManagerFactory(PolderAllocationManager.FACTORY)
 *                 .build());
 * }</pre>
 *
 * <p>Up to 1 MiB it is of one of Polder's sizes, above that in pages of 2 MiB. Any thread releases
 * it, and what is free goes back to the operating system after the decay of the pool. Its content
 * is what earlier buffers have left, as with Arrow's own managers. Limits of allocators, reference
 * counts, transfers and the search for leaks are Arrow's.
 *
 * <p><b>Failure.</b> Where a limit of the pool is in the way, or the operating system, allocating
 * is Arrow's {@link OutOfMemoryException}, which says which; nothing has changed then. Where native
 * access is denied to Polder, a factory refuses with an {@link UnsupportedOperationException} that
 * names the flag: when an allocator is made, and with each buffer.
 *
 * <p>Thread-safe, as Arrow's managers are: the last release is one.
 */
public final class PolderAllocationManager extends AllocationManager {
    /**
     * For the whole process, with a pool of its own, named {@code arrow}, and without a limit. The
     * pool is made when the first allocator is.
     */
    public static final AllocationManager.Factory FACTORY =
            new AllocationManager.Factory() {
                @Override
                public AllocationManager create(BufferAllocator accounting, long size) {
                    return ofProcess().create(accounting, size);
                }

                @Override
                public ArrowBuf empty() {
                    return ofProcess().empty();
                }

                @Override
                public String toString() {
                    return ofProcess().toString();
                }
            };

    /**
     * What {@link #FACTORY} asks; null until it is first asked for. In no class of its own, which
     * could never be initialised again if an error met that.
     */
    private static volatile @Nullable BlockFactory ofProcess;

    private final BlockAllocator blocks;
    private final long address;
    private final long size;

    /**
     * What stands for a block that was allocated. The super constructor tells the allocator of
     * this, so nothing fails after it.
     */
    PolderAllocationManager(
            BufferAllocator accounting, BlockAllocator blocks, long address, long size) {
        this.blocks = blocks;
        this.address = address;
        this.size = size;
        super(accounting);
    }

    /**
     * A factory whose buffers are in blocks of a pool; for a limit, or to see them by themselves.
     *
     * @param pool where memory comes from; it stays the caller's, who closes it
     * @throws IllegalStateException if the pool is closed and never had blocks; if it had some, the
     *     first buffer is refused
     */
    public static AllocationManager.Factory factory(MemoryPool pool) {
        return new BlockFactory(pool);
    }

    /** The pool of {@link #FACTORY}: what its buffers take, and to have free memory given back. */
    public static MemoryPool pool() {
        return ofProcess().pool;
    }

    private static BlockFactory ofProcess() {
        BlockFactory known = ofProcess;
        return known != null ? known : make();
    }

    private static synchronized BlockFactory make() {
        BlockFactory known = ofProcess;
        if (known == null) {
            known = new BlockFactory(MemoryPool.builder().name("arrow").build());
            ofProcess = known;
        }
        return known;
    }

    @Override
    public long getSize() {
        return size;
    }

    @Override
    protected long memoryAddress() {
        return address;
    }

    /** Frees the block, also where that tells of misuse. */
    @Override
    protected void release0() {
        try {
            blocks.freeAddress(address);
        } catch (IllegalStateException misuse) {
            BlockFactory.freeAfter(misuse, blocks, address);
            throw misuse;
        }
    }
}
