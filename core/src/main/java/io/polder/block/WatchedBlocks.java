package io.polder.block;

import io.polder.block.BlockRecords.Watched;
import io.polder.leak.Sampler;
import io.polder.leak.Trace;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;

/**
 * Blocks of which a sample is watched: where each of those was allocated is known until it is
 * freed.
 *
 * <pre>{@code
 *   allocate --> chosen by the sampler? --> into the records
 *   free     --> in the records?        --> out of them
 * }</pre>
 *
 * <p><b>Errors.</b> A block that cannot be watched for one is not.
 *
 * <p>Thread-safe. Whoever frees a block got its address after it was watched. It is watched no
 * longer before it is freed, since it may be another's at once; if it is refused, it is again.
 */
public final class WatchedBlocks extends LayeredBlocks {
    final Blocks blocks;
    private final Sampler sampler;
    private final BlockRecords records;

    private WatchedBlocks(Blocks blocks, Sampler sampler, BlockRecords records) {
        this.blocks = blocks;
        this.sampler = sampler;
        this.records = records;
    }

    /**
     * Watches blocks that nobody allocates or frees otherwise.
     *
     * @param sampler chooses which of them
     * @param records where they are kept
     */
    public static Blocks of(Blocks blocks, Sampler sampler, BlockRecords records) {
        return new WatchedBlocks(blocks, sampler, records);
    }

    /** What to watch a block by that is about to be allocated; null if it is not to be. */
    private @Nullable Watched chosen(long bytes) {
        Trace at = sampler.chooses();
        return at == null ? null : new Watched(bytes, at);
    }

    @Override
    long allocate(long bytes, long alignment, boolean zero) {
        Watched block = chosen(bytes);
        long address =
                zero ? blocks.allocateZeroed(bytes, alignment) : blocks.allocate(bytes, alignment);
        if (block != null) {
            try {
                records.watch(address, block);
            } catch (Throwable unwatched) {
                // It is allocated, and that is what counts
            }
        }
        return address;
    }

    @Override
    MemorySegment allocateSegment(long bytes, long alignment, boolean zero) {
        Watched block = chosen(bytes);
        MemorySegment segment =
                zero
                        ? blocks.allocateZeroedSegment(bytes, alignment)
                        : blocks.allocateSegment(bytes, alignment);
        if (block != null) {
            try {
                records.watch(segment.address(), block);
            } catch (Throwable unwatched) {
                // As above
            }
        }
        return segment;
    }

    @Override
    public void free(long address) {
        Watched block = records.forget(address);
        boolean freed = block == null;
        try {
            blocks.free(address);
            freed = true;
        } finally {
            if (!freed && block != null) {
                records.watch(address, block);
            }
        }
    }

    @Override
    public long usableSize(long address) {
        return blocks.usableSize(address);
    }

    @Override
    public long reallocate(long address, long bytes, @Nullable MemorySegment @Nullable [] made) {
        if (address == 0) {
            return allocate(bytes);
        }
        Watched block = records.forget(address);
        boolean moved = block == null;
        try {
            long target = blocks.reallocate(address, bytes, made);
            moved = true;
            if (block != null) {
                try {
                    records.watch(target, new Watched(bytes, block.at()));
                } catch (Throwable unwatched) {
                    // As above
                }
            }
            return target;
        } finally {
            if (!moved && block != null) {
                records.watch(address, block);
            }
        }
    }

    @Override
    public int trim() {
        return blocks.trim();
    }

    @Override
    public boolean tick() {
        return blocks.tick();
    }

    @Override
    public void close() {
        blocks.close();
    }

    @Override
    public @Nullable RuntimeException untold() {
        return blocks.untold();
    }
}
