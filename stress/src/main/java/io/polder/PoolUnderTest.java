package io.polder;

import io.polder.arena.SlabSettings;
import io.polder.background.QuietBackground;
import io.polder.background.Task;
import io.polder.chunk.ChunkInside;
import io.polder.chunk.ChunkSpace;
import io.polder.chunk.SpaceCheck;
import io.polder.memory.FreshProvider;
import io.polder.memory.MemoryBudget;
import io.polder.memory.MemoryLimits;
import io.polder.memory.ProviderChoice;
import io.polder.page.space.PageCheck;
import io.polder.page.space.PageSpace;
import io.polder.stress.everywhere.FailingProvider;
import io.polder.stress.everywhere.Require;
import io.polder.stress.everywhere.Throwing;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * A pool of its own: on a provider that refuses calls when it is told to, and with backgrounds
 * that do nothing by themselves: what a check looks at is changed by nobody meanwhile.
 */
final class PoolUnderTest {
    static final long MIB = 1 << 20;

    /** A deferred close may take two ticks, and a page's decay as many as it has slices. */
    private static final int TICKS_MAX = 200;

    /** Owners of blocks that are used rest after a tenth of that. */
    private static final long REST_NANOS = 1_000_000_000;

    final FailingProvider provider = new FailingProvider(FreshProvider.create());
    final MemoryPool pool;
    private final PoolMemory memory;
    private final ChunkSpace chunks;
    private final PageSpace pages;
    private final MemoryBudget budget;

    /**
     * Opens a pool.
     *
     * @param committedMaxBytes how much memory it may have
     * @param leaks how closely it looks for leaks
     */
    PoolUnderTest(long committedMaxBytes, LeakDetection leaks) {
        this(committedMaxBytes, leaks, false);
    }

    /**
     * Opens a pool.
     *
     * @param checkBlocks whether it looks for misuse of blocks
     */
    PoolUnderTest(long committedMaxBytes, LeakDetection leaks, boolean checkBlocks) {
        PoolSettings settings =
                new PoolSettings(
                        "everywhere",
                        new MemoryLimits(committedMaxBytes, 1024 * MIB),
                        Duration.ofDays(1), // so long that a close has its tasks hasten
                        false,
                        false,
                        SlabSettings.DEFAULT,
                        leaks,
                        checkBlocks,
                        false);
        this.memory =
                new PoolMemory(
                        new ProviderChoice(provider, true, "tests"),
                        settings,
                        QuietBackground.create(),
                        QuietBackground.create(),
                        null);
        this.pool = new MemoryPool(memory);
        this.chunks = (ChunkSpace) Inside.field(memory, "chunks");
        this.pages = (PageSpace) Inside.field(memory, "pages");
        this.budget = ChunkInside.budget(chunks);
    }

    boolean isOpen() {
        try {
            memory.checkOpen();
            return true;
        } catch (IllegalStateException closed) {
            return false;
        }
    }

    /** A tick of the pool; returns whether there is more to do. */
    boolean tick() {
        return QuietBackground.step((Task) Inside.field(memory, "task"));
    }

    /** A tick of what closes deferred arenas, as the one above. */
    boolean tickClosing() {
        return QuietBackground.step((Task) Inside.field(memory, "closing"));
    }

    /** A tick of what makes pages ready. */
    boolean tickDefragmenter() {
        return QuietBackground.step((Task) Inside.field(pages, "defragmenting"));
    }

    /** A slice of the decay of pages. */
    boolean tickDecay() {
        return QuietBackground.step((Task) Inside.field(pages, "decaying"));
    }

    /** Checks all invariants of chunks, pages and blocks. */
    void verify() {
        SpaceCheck.verify(chunks);
        PageCheck.verify(pages);
        PoolCheck.verifyBlocksAtRest(memory);
    }

    /**
     * Checks that everything comes back, when nobody has anything any more: if nothing was thrown,
     * at once; otherwise when the pool is closed, since what was in hand may be lost until then.
     */
    void requireAllComesBack() {
        int ticks = 0;
        while (tick()) {
            ticks++;
            if (!isOpen()) {
                break; // released, or not: which is looked at below
            }
            Require.that(ticks < TICKS_MAX, "a pool that nobody uses comes to rest");
            if (ticks > TICKS_MAX / 2) {
                LockSupport.parkNanos(REST_NANOS / TICKS_MAX); // what is lost counts as used
            }
        }
        verify();
        ChunkInside.requireFreeIsZero(chunks);
        long _ = pool.trim();
        verify();
        if (!Throwing.hasThrown()) {
            requireNothingUsed();
        }
        pool.close();
        boolean _ = tick();
        requireNothingUsed();
        Require.equal("reserved bytes", pool.stats().reservedBytes(), 0);
        Require.equal("charged as reserved", budget.reserved.bytes(), 0);
        Require.equal("reserved from the system", provider.reservedBytes(), 0);
        provider.unmapLeft();
    }

    private void requireNothingUsed() {
        PoolStatistics stats = pool.stats();
        Require.equal("pages taken", stats.pages().takenBytes(), 0);
        Require.equal("used bytes", stats.usedBytes(), 0);
        Require.equal("used capacity", stats.capacityBytes(), 0);
        Require.equal("committed bytes", stats.committedBytes(), 0);
        Require.equal("charged bytes", budget.committed.bytes(), 0);
    }

    void abandon() {
        provider.abandon();
    }
}
