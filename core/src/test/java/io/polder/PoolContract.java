package io.polder;

import io.polder.arena.SlabSettings;
import io.polder.arena.Slabs;
import io.polder.memory.Providers;

import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.lang.foreign.Arena;

/**
 * A pool under the contract: one for all tests of a class, so that each finds what the one before
 * left, and looked at after each.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class PoolContract
        implements AllocationContract,
                BadArgumentContract,
                ZeroContract,
                ClosedContract,
                ScopeContract,
                NestingContract,
                CopyContract {
    @RegisterExtension final Slabs fixture = new Slabs();

    private final MemoryPool pool;
    private final boolean shared;

    private PoolContract(boolean shared, long slabBytes, int count, boolean plain) {
        this.shared = shared;
        this.pool =
                plain
                        ? WatchedPool.create(fixture, Providers.plain(), slabBytes, count)
                        : WatchedPool.create(fixture, slabBytes, count);
    }

    MemoryPool pool() {
        return pool;
    }

    @Override
    public Arena open() {
        return shared ? pool.openShared() : pool.openConfined();
    }

    @Override
    public long slabBytes() {
        return pool.stats().arenas().pooled() ? pool.stats().arenas().slabBytes() : 0;
    }

    /** Confined arenas. */
    abstract static class Confined extends PoolContract
            implements ConfinedContract, CleanupContract, DowncallContract {
        Confined(long slabBytes, int count) {
            super(false, slabBytes, count, false);
        }

        Confined(long slabBytes, int count, boolean plain) {
            super(false, slabBytes, count, plain);
        }
    }

    /** Shared arenas. */
    abstract static class Shared extends PoolContract
            implements SharedContract, CleanupContract, DowncallContract {
        Shared(long slabBytes, int count) {
            super(true, slabBytes, count, false);
        }
    }

    /** Confined arenas where native access is denied: what needs it is left out. */
    abstract static class DeniedConfined extends PoolContract implements ConfinedContract {
        DeniedConfined() {
            super(false, SlabSettings.BYTES_DEFAULT, SlabSettings.COUNT_DEFAULT, false);
        }
    }

    /** Shared arenas where native access is denied: what needs it is left out. */
    abstract static class DeniedShared extends PoolContract implements SharedContract {
        DeniedShared() {
            super(true, SlabSettings.BYTES_DEFAULT, SlabSettings.COUNT_DEFAULT, false);
        }
    }
}
