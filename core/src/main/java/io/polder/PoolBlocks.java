package io.polder;

import io.polder.block.BlockSpace;
import io.polder.block.Blocks;
import io.polder.block.CheckedBlocks;
import io.polder.block.SizeTotals;
import io.polder.block.WatchedBlocks;
import io.polder.event.Printable;
import io.polder.leak.LeakRecord;
import io.polder.leak.Sampler;
import io.polder.memory.DeepStackRunner;
import io.polder.memory.ProcessFence;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * The blocks of one pool.
 *
 * <p>States: <i>none</i>, until somebody asks for blocks; <i>made</i>; <i>closed</i> with the pool,
 * which counts what was not freed. Pools that were closed before make none.
 *
 * <p><b>Locking.</b> Each state is entered with the monitor held. What is made is read without it.
 */
final class PoolBlocks {
    private final PoolMemory pool;

    /** Null until somebody asks for blocks. */
    volatile @Nullable BlockAllocator made;

    private volatile long leftAtClose;
    private boolean closed;

    /** None yet. */
    PoolBlocks(PoolMemory pool) {
        this.pool = pool;
    }

    /** What users have of them. */
    BlockAllocator get() {
        BlockAllocator known = made;
        return known != null ? known : make();
    }

    private BlockAllocator make() {
        pool.checkNativeAccess("blocks need");
        synchronized (this) {
            BlockAllocator known = made;
            if (known == null) {
                pool.checkOpen();
                known = DeepStackRunner.call(this::create);
                made = known;
            }
            return known;
        }
    }

    private BlockAllocator create() {
        boolean checks = pool.settings.checkBlocks();
        Sampler sampler = pool.leaks.sampler();
        if (checks || sampler != null) {
            ClassPreloader.ofTraces();
        }
        BlockSpace space =
                new BlockSpace(
                        pool.chunks,
                        pool.pages,
                        pool.exhaustion,
                        pool.task::wake,
                        ProcessFence.ofThisProcess(),
                        this::ownerAt);
        Blocks checked = checks ? CheckedBlocks.of(space) : space;
        Blocks all = sampler == null ? checked : WatchedBlocks.of(checked, sampler);
        return new BlockAllocator(all, space);
    }

    /** Who has the memory at an address that is no block's; empty if that is not known. */
    private String ownerAt(long address) {
        String ours = pool.whatIsAt(address);
        if (ours != null) {
            return ours + " of this pool";
        }
        for (PoolMemory each : OpenPools.INSTANCE.reachable()) {
            String theirs = each.whatIsAt(address);
            if (theirs != null) {
                return theirs + " of pool " + Printable.of(each.name());
            }
        }
        return "";
    }

    /** Those that are used and watched, one record for each place, the most bytes first. */
    List<LeakRecord> used() {
        BlockAllocator known = made;
        return known == null ? List.of() : known.blocks.byStack();
    }

    /** Whether any can be watched; while there are none, whether the first ones will be. */
    boolean areWatched() {
        BlockAllocator known = made;
        return known == null ? pool.leaks.sampler() != null : known.blocks.areWatched();
    }

    /** What is said of them. */
    PoolFigures.Blocks statistics() {
        BlockAllocator known = made;
        return known == null
                ? PoolFigures.Blocks.of(List.of(), false, 0)
                : PoolFigures.Blocks.of(
                        known.space.sizes(), pool.settings.checkBlocks(), leftAtClose);
    }

    /**
     * Gives back what is free; returns how many bytes that were. Once the pool is closed, it tells
     * of misuse that it finds: nobody comes any more who would be told.
     */
    long trim() {
        BlockAllocator known = made;
        long bytes = known == null ? 0 : known.space.trim();
        RuntimeException misuse = known == null || !pool.closed ? null : known.space.untold();
        while (known != null && misuse != null) {
            PoolBackground.complain(
                    List.of("pool " + Printable.of(pool.name()) + ": " + misuse.getMessage()));
            misuse = known.space.untold();
        }
        return bytes;
    }

    /** Allocates no more; counts what was not freed, and tells of it. Once. */
    void close() {
        BlockAllocator known;
        synchronized (this) {
            known = made;
            if (known == null || closed) {
                return;
            }
            known.space.close();
            long _ = known.space.trim(); // so that what others freed does not count
            long left = 0;
            for (SizeTotals each : known.space.sizes()) { // no stream: see ClassPreloader
                left += each.usedCount();
            }
            leftAtClose = left;
            closed = true;
        }
        pool.leaks.report(used());
    }
}
