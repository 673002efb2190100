package io.polder;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;

import java.lang.foreign.Arena;
import java.time.Duration;

/**
 * What arenas with deferred close have in common with the others. Not the contract of scopes and of
 * closing: see {@link MemoryPool#openSharedDeferred}.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DeferredContractTest
        implements AllocationContract, BadArgumentContract, ZeroContract, CopyContract {
    private final MemoryPool pool = MemoryPool.builder().decay(Duration.ofMillis(1)).build();

    @Override
    public Arena open() {
        return pool.openSharedDeferred();
    }

    /** It begins in no slab. */
    @Override
    public long slabBytes() {
        return 0;
    }

    @AfterAll
    void everythingComesBack() {
        pool.close();
        Await.until("all is released", () -> pool.stats().reservedBytes() == 0);
    }
}
