package io.polder.page.space;

import io.polder.event.CommitEvent;
import io.polder.event.Events;
import io.polder.event.PageAllocationEvent;
import io.polder.memory.MemoryExhaustedException;
import io.polder.memory.OsCallException;

import org.jspecify.annotations.Nullable;

/**
 * How a page is found for a thread that wants one.
 *
 * <pre>{@code
 *   a run with memory:     the greatest size, ... , the least       no system call
 *   addresses and room:    the greatest size, ... , the least       none but the provider's check
 *   what others have in hand just now: wait for it once, a moment
 *   assemble:              the greatest size, ... , the least
 *   else make one of these possible: others give free memory back, addresses are reserved, what
 *   another thread has in hand comes back, what cannot be moved is uncommitted
 * }</pre>
 *
 * <p>Claim: a request fails only if a limit or the system is in the way. While what is free, what
 * is in hand and what the budget has left are enough together, it goes on; each round that does not
 * end has changed something for it, or somebody else took it.
 *
 * <p>Thread-safe; calls it makes without a lock may block in system calls.
 */
final class Taker {
    private final PageState state;
    private final Assembler assembler;
    private final PageUncommitter uncommitter;
    private final AreaGrowth growth;

    Taker(PageState state, Assembler assembler, PageUncommitter uncommitter, AreaGrowth growth) {
        this.state = state;
        this.assembler = assembler;
        this.uncommitter = uncommitter;
        this.growth = growth;
    }

    /**
     * Takes a page of one of the sizes from {@code most} by halves to {@code least}.
     *
     * @param event is told if the page is assembled; null if nobody wants to know
     * @throws MemoryExhaustedException if there is none
     */
    Extent take(int least, int most, @Nullable PageAllocationEvent event) {
        boolean waited = false;
        while (true) {
            Extent page = tryTake(least, most);
            if (page != null) {
                return page;
            }
            if (!waited && state.awaitClaims()) {
                waited = true;
                continue;
            }
            MemoryExhaustedException failure = null;
            boolean again = false;
            for (int count = most; count >= least && !again; count >>= 1) {
                page = assembler.assemblePage(count);
                if (page != null) {
                    if (event != null) {
                        event.assembled();
                    }
                    return page;
                }
                failure = prepare(count);
                again = failure == null;
            }
            if (failure != null) {
                throw failure;
            }
        }
    }

    /** Takes what is contiguous already; null if nothing is. */
    @Nullable Extent tryTake(int least, int most) {
        Extent page = null;
        try (PageLock _ = state.lock()) {
            state.checkOpenLocked();
            for (int count = most; count >= least; count >>= 1) {
                page = state.takeWarmLocked(count);
                if (page != null) {
                    return page;
                }
            }
            for (int count = most; count >= least && page == null; count >>= 1) {
                page = state.takeColdLocked(count);
            }
        }
        if (page != null) {
            commit(page);
        }
        return page;
    }

    private void commit(Extent page) {
        CommitEvent event = Events.commit();
        boolean committed = false;
        try {
            state.provider.commit(page.address(), page.bytes());
            committed = true;
            if (event != null) {
                event.finish(state.budget.poolName(), PageSpace.PART, page.bytes());
            }
        } catch (OsCallException refusal) {
            note(refusal);
            throw MemoryExhaustedException.refused(refusal);
        } finally {
            if (!committed) {
                try (PageLock _ = state.lock()) {
                    state.abandonLocked(page);
                }
            }
        }
    }

    private void note(OsCallException refusal) {
        try (PageLock _ = state.lock()) {
            state.refusedLocked(refusal);
        }
    }

    /** Does something for a request that found nothing; returns null, or why there is nothing. */
    private @Nullable MemoryExhaustedException prepare(int count) {
        long missing;
        boolean addresses;
        boolean claimed;
        try (PageLock _ = state.lock()) {
            state.checkOpenLocked();
            missing = count - state.attainableLocked();
            addresses = state.hasColdLocked(count);
            claimed = state.claimedLocked() > 0;
        }
        if (missing > 0) {
            return makeRoom(count);
        }
        if (!addresses) {
            return findAddresses(count);
        }
        if (claimed && state.awaitClaims()) {
            return null;
        }
        return replaceScattered(count);
    }

    /** It could not be moved: fresh memory in its place. */
    private @Nullable MemoryExhaustedException replaceScattered(int count) {
        long scattered = count - (state.budget.committableBytes() >> Granules.SHIFT);
        OsCallException before = lastRefusal();
        if (scattered <= 0 || uncommitter.uncommit(scattered) > 0) {
            return null;
        }
        OsCallException refusal = lastRefusal();
        // If nothing was refused, others were faster, and what they have in hand comes back.
        return refusal == null || refusal == before
                ? null
                : MemoryExhaustedException.refused(refusal);
    }

    private @Nullable OsCallException lastRefusal() {
        try (PageLock _ = state.lock()) {
            return state.lastRefusal;
        }
    }

    private @Nullable MemoryExhaustedException makeRoom(int count) {
        long own;
        try (PageLock _ = state.lock()) {
            own = state.warmFreeLocked() + state.claimedLocked();
        }
        boolean made = state.budget.makeRoom(Granules.bytes(count - own));
        return made ? null : state.budget.committedExhausted(Granules.bytes(count));
    }

    private @Nullable MemoryExhaustedException findAddresses(int count) {
        MemoryExhaustedException failure = growth.reserve(count);
        if (failure == null) {
            return null;
        }
        // Where it was another limit, or the system, room for addresses does not help.
        long bytes = Granules.bytes(count);
        boolean byAddresses = state.budget.reservableBytes() < bytes;
        if (byAddresses && state.budget.makeReservedRoom(bytes)) {
            return null;
        }
        // Warm and cold neighbours are one run when both are cold.
        return uncommitter.uncommit(Long.MAX_VALUE) > 0 || state.awaitClaims() ? null : failure;
    }
}
