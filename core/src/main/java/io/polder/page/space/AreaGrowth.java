package io.polder.page.space;

import io.polder.memory.MemoryExhaustedException;
import io.polder.memory.MemoryProvider;
import io.polder.memory.OsCallException;
import io.polder.page.space.Extent.State;

import org.jspecify.annotations.Nullable;

/**
 * Reserves address space for pages.
 *
 * <p>Much more than is committed: an assembly needs contiguous addresses without memory, and
 * addresses cost nothing. Under a limit the first reservation is several times the limit, so that
 * there is hardly ever a second one; without a limit each is twice as large as the one before.
 * Where memory comes with the reservation, it is just as large as the page that needs it.
 *
 * <p><b>Locking.</b> Its own monitor, outside that of {@link PageState}, is held while it reserves,
 * so that two threads do not both do so. What is charged to the budget and not counted by the state
 * yet is in its hands.
 *
 * <p><b>Failure.</b> Where the operating system has no room for a large reservation, smaller ones
 * are tried, down to what is needed.
 */
final class AreaGrowth {
    /** Guessed: nothing to a 64-bit address space. */
    static final long FIRST_BYTES = 256L << 20;

    /** Guessed: with this, a space of a terabyte has a few tens of reservations. */
    static final long LARGEST_BYTES = 64L << 30;

    /** Addresses for each byte that may be committed: guessed; a collector takes 16. */
    private static final int TIMES_LIMIT = 4;

    /** A limit above this is none for the first reservation. */
    private static final long LIMIT_MAX_BYTES = 1L << 40;

    private final PageState state;
    private final MemoryProvider provider;
    private final boolean hugePages;
    private long nextBytes;

    AreaGrowth(PageState state, boolean hugePages) {
        this.state = state;
        this.hugePages = hugePages;
        this.provider = state.provider;
        long limit = state.budget.limits().committedMaxBytes();
        this.nextBytes = limit <= LIMIT_MAX_BYTES ? TIMES_LIMIT * limit : FIRST_BYTES;
    }

    /**
     * Reserves contiguous addresses for so many granules, unless somebody just has.
     *
     * @return why it could not; null if there are such addresses now
     */
    synchronized @Nullable MemoryExhaustedException reserve(int count) {
        try (PageLock _ = state.lock()) {
            state.checkOpenLocked();
            if (state.hasColdLocked(count)) {
                return null;
            }
        }
        return provider.canUncommit() ? reserveAhead(count) : reserveCommitted(count);
    }

    private @Nullable MemoryExhaustedException reserveAhead(int count) {
        long least = Granules.bytes(count);
        long left = Math.min(state.budget.reservableBytes(), provider.reservableAheadBytes());
        long share = left / 2 & -PageSpace.GRANULE_BYTES;
        long bytes = Math.max(least, Math.min(nextBytes & -PageSpace.GRANULE_BYTES, share));
        while (true) {
            if (!state.budget.tryReserve(bytes)) {
                if (bytes == least) {
                    return state.budget.reservedExhausted(bytes);
                }
            } else {
                try {
                    add(provider.reserve(bytes, PageSpace.GRANULE_BYTES), bytes, State.COLD);
                    nextBytes = Math.clamp(2 * bytes, FIRST_BYTES, LARGEST_BYTES);
                    return null;
                } catch (OsCallException refusal) {
                    state.budget.released(bytes);
                    note(refusal);
                    if (!refusal.isExhaustion() || bytes == least) {
                        return MemoryExhaustedException.refused(refusal);
                    }
                }
            }
            bytes = Math.max(least, bytes / 2 & -PageSpace.GRANULE_BYTES);
        }
    }

    /** Reserves and commits at once, where memory comes with the addresses. */
    private @Nullable MemoryExhaustedException reserveCommitted(int count) {
        long bytes = Granules.bytes(count);
        if (!state.budget.tryReserve(bytes)) {
            return state.budget.reservedExhausted(bytes);
        }
        if (!state.budget.tryCommit(bytes)) {
            state.budget.released(bytes);
            return state.budget.committedExhausted(bytes);
        }
        try {
            add(provider.reserve(bytes, PageSpace.GRANULE_BYTES), bytes, State.WARM);
            return null;
        } catch (OsCallException refusal) {
            state.budget.uncommitted(bytes);
            state.budget.released(bytes);
            note(refusal);
            return MemoryExhaustedException.refused(refusal);
        }
    }

    private void add(long address, long bytes, State kind) {
        if (hugePages) {
            provider.adviseHugePages(address, bytes, true);
        }
        try (PageLock _ = state.lock()) {
            int size = Math.toIntExact(bytes >> Granules.SHIFT);
            state.addLocked(new Area(state, address, size, kind), kind);
        }
    }

    private void note(OsCallException refusal) {
        try (PageLock _ = state.lock()) {
            state.refusedLocked(refusal);
        }
    }
}
