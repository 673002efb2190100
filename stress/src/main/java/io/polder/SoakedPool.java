package io.polder;

import io.polder.arena.SlabSettings;
import io.polder.chunk.ChunkSpace;
import io.polder.chunk.SpaceCheck;
import io.polder.heap.HeapStatistics;
import io.polder.heap.space.HeapCheck;
import io.polder.heap.space.HeapSpace;
import io.polder.memory.MemoryLimits;
import io.polder.memory.MemoryProvider;
import io.polder.memory.ProviderChoice;
import io.polder.page.space.PageCheck;
import io.polder.page.space.PageSpace;
import io.polder.stress.everywhere.Require;

import java.time.Duration;

/**
 * A pool like those of programs, but on a provider that is told, and with its rooms open to look.
 */
public final class SoakedPool {
    private final MemoryPool pool;
    private final PoolMemory memory;
    private final ChunkSpace chunks;
    private final PageSpace pages;

    /**
     * Opens a pool that looks for all leaks.
     *
     * @param name how reports call it
     * @param provider what gives it memory
     * @param committedMaxBytes how much memory it may have; {@link Long#MAX_VALUE} for no limit
     * @param decay how long free memory stays committed
     */
    public SoakedPool(
            String name, MemoryProvider provider, long committedMaxBytes, Duration decay) {
        long mostBytes = Math.min(committedMaxBytes, MemoryLimits.NONE.committedMaxBytes());
        PoolSettings settings =
                new PoolSettings(
                        name,
                        new MemoryLimits(mostBytes, MemoryLimits.NONE.reservedMaxBytes()),
                        decay,
                        false,
                        false,
                        SlabSettings.DEFAULT,
                        LeakDetection.ALL,
                        false,
                        false);
        this.memory =
                new PoolMemory(
                        new ProviderChoice(provider, true, "soak"),
                        settings,
                        PoolBackground.INSTANCE,
                        PoolBackground.closing(),
                        null);
        this.pool = new MemoryPool(memory);
        this.chunks = (ChunkSpace) Inside.field(memory, "chunks");
        this.pages = (PageSpace) Inside.field(memory, "pages");
    }

    /** What users call. */
    public MemoryPool pool() {
        return pool;
    }

    /** Checks what holds while threads run. */
    public void verify() {
        SpaceCheck.verify(chunks);
        PageCheck.verify(pages);
    }

    /** Checks also that nobody has anything, but for heaps and what is in them. */
    public void requireAtRest() {
        verify();
        PoolCheck.verifyBlocksAtRest(memory);
        for (HeapSpace each : memory.heaps.list()) {
            HeapCheck.verify(each);
        }
        try {
            requireNothingUsed(pool.stats());
        } catch (AssertionError wrong) {
            throw new AssertionError(wrong.getMessage() + "\n" + pool.report(), wrong);
        }
    }

    private static void requireNothingUsed(PoolStatistics stats) {
        Require.equal("used blocks, " + stats.name(), stats.blocks().usedCount(), 0);
        Require.equal(
                "used by arenas, " + stats.name(),
                stats.capacityBytes() - stats.pages().takenBytes(),
                0);
        Require.equal("leaks, " + stats.name(), stats.leaks().leaked(), 0);
        Require.equal("deferred groups, " + stats.name(), stats.arenas().deferredGroups(), 0);
        Require.equal("free and committed", stats.committedBytes() - stats.usedBytes(), 0);
        long heapBytes = 0;
        for (HeapStatistics each : stats.heaps()) {
            heapBytes += each.regionBytes() + each.tableBytes();
        }
        Require.equal("pages, " + stats.name(), stats.pages().takenBytes(), heapBytes);
    }
}
