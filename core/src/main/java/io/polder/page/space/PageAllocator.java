package io.polder.page.space;

import io.polder.event.PageAllocationEvent;
import io.polder.memory.MemoryBudget;
import io.polder.memory.MemoryExhaustedException;
import io.polder.memory.OsCallException;
import io.polder.memory.VirtualSpaceGrowth;
import io.polder.memory.VirtualSpaceGrowth.HugePages;
import io.polder.page.space.PageReservation.Kind;

import org.jspecify.annotations.Nullable;

/**
 * How a page is found for a thread that wants one.
 *
 * <pre>{@code
 *   a run with memory:     the greatest size, ... , the least       no system call
 *   addresses and room:    the greatest size, ... , the least       none but the provider's check
 *   what others have isolated just now: wait for it once, a moment
 *   assemble:              the greatest size, ... , the least
 *   else make one of these possible: others give free memory back, addresses are reserved, what
 *   another thread has isolated comes back, what cannot be moved is uncommitted
 * }</pre>
 *
 * <p>A request fails only if a limit or the system is in the way. While what is free, what
 * is isolated and what the budget has left are enough together, it goes on; each round that does
 * not end has changed something for it, or somebody else took it.
 *
 * <p><b>Addresses.</b> Much more are reserved than is committed: an assembly needs contiguous ones
 * without memory, and they cost nothing. Under a limit of some GiB the first reservation is several
 * times the limit, so that there is hardly ever a second one, but for pages that grow far.
 *
 * <p><b>Errors.</b> The extent that the page is made of comes from the caller, who says that it is
 * lost if it cannot return it. What was isolated when an error came is free again at the
 * next look, so nobody waits for it in vain.
 *
 * <p>Thread-safe; calls it makes without a lock may block in system calls. The monitor of the
 * {@link VirtualSpaceGrowth} is outside that of {@link PageState}.
 */
final class PageAllocator {
    /** Guessed: nothing to a 64-bit address space. */
    static final long FIRST_BYTES = 256L << 20;

    /**
     * Guessed: with this, a space of a terabyte has a few tens of reservations, and none takes more
     * than a mebibyte of the Java heap, which has some 30 bytes for each granule.
     */
    static final long LARGEST_BYTES = 64L << 30;

    /** Addresses for each byte that may be committed: guessed; a collector takes 16. */
    private static final int TIMES_LIMIT = 4;

    /** A limit above this is none for the first reservation. */
    private static final long LIMIT_MAX_BYTES = 1L << 40;

    /** One reservation takes at most half of what the limits leave. */
    private static final int SHARE_OF_LEFT = 2;

    private final PageState state;
    private final Assembler assembler;
    private final PageUncommitter uncommitter;

    /** Addresses were refused that could be done without: they are not asked for again. */
    private volatile boolean farRefused;

    /** Its monitor is held by the thread that reserves. */
    final VirtualSpaceGrowth<PageReservation> reserving;

    PageAllocator(PageState state, Assembler assembler, PageUncommitter uncommitter) {
        this.state = state;
        this.assembler = assembler;
        this.uncommitter = uncommitter;
        long limit = state.budget.limits.committedMaxBytes();
        this.reserving =
                new VirtualSpaceGrowth<>(
                        state,
                        new VirtualSpaceGrowth.Policy(
                                PageSpace.GRANULE_BYTES,
                                limit <= LIMIT_MAX_BYTES ? TIMES_LIMIT * limit : FIRST_BYTES,
                                LARGEST_BYTES,
                                SHARE_OF_LEFT,
                                state.hugePages ? HugePages.WANTED : HugePages.UNSAID));
    }

    /**
     * Takes a page of one of the sizes from {@code most} by halves to {@code least}.
     *
     * @param page what has its granules then; whatever is thrown, it says whether it has some
     * @param event is told if the page is assembled; null if nobody wants to know
     * @throws MemoryExhaustedException if there is none
     */
    void take(Extent page, int least, int most, @Nullable PageAllocationEvent event) {
        boolean waited = false;
        while (!tryTake(page, least, most)) {
            if (!waited && state.awaitIsolated()) {
                waited = true;
                continue;
            }
            MemoryExhaustedException failure = null;
            boolean again = false;
            for (int count = most; count >= least && !again; count >>= 1) {
                if (assembler.assemblePage(page, count)) {
                    if (event != null) {
                        event.assembled();
                    }
                    return;
                }
                failure = prepare(count);
                again = failure == null;
            }
            if (failure != null) {
                throw failure;
            }
        }
    }

    /**
     * Takes a page with room to grow far, for which addresses are reserved if need be. What is free
     * and has memory is left to others: it has no such room.
     *
     * @return whether there is room, under the limit on memory as well
     */
    boolean takeFar(Extent page, int count) {
        int roomy;
        synchronized (state) {
            state.recoverIfNeededLocked();
            roomy = state.roomyLocked(page, count);
        }
        if (farRefused || roomy > LARGEST_BYTES >> Granules.SHIFT) {
            return false;
        }
        // In powers of two, so that a page which becomes ever larger leaves few behind.
        if (reserve(roomy, 1 << Granules.requestClass(roomy)) != null) {
            farRefused = true;
            return false;
        }
        synchronized (state) {
            state.recoverIfNeededLocked();
            state.checkOpenLocked();
            if (!state.takeLocked(Kind.COLD, page, count)) {
                return false;
            }
        }
        return commit(page);
    }

    /** Takes what is contiguous already; returns whether something is. */
    boolean tryTake(Extent page, int least, int most) {
        while (find(page, least, most)) {
            if (page.warmTo > 0 || commit(page)) {
                return true;
            }
        }
        return false;
    }

    /** Takes a run with memory, or else one to commit; returns whether there is one. */
    private boolean find(Extent page, int least, int most) {
        synchronized (state) {
            state.recoverIfNeededLocked();
            state.checkOpenLocked();
            return findLocked(Kind.WARM, page, least, most)
                    || findLocked(Kind.COLD, page, least, most);
        }
    }

    private boolean findLocked(byte kind, Extent page, int least, int most) {
        int count = most;
        while (count >= least && !state.takeLocked(kind, page, count)) {
            count >>= 1;
        }
        return count >= least;
    }

    /** Commits a page; returns false if a part of it is lost, and is taken out therefore. */
    boolean commit(Extent page) {
        try {
            state.commit(page.address(), page.bytes());
            page.warmTo = page.count;
            return true;
        } catch (OsCallException refusal) {
            synchronized (state) {
                state.recoverIfNeededLocked();
                state.refusedLocked(refusal);
                state.putBackLocked(page);
            }
            if (state.takeOutLost(page)) {
                return false;
            }
            throw MemoryExhaustedException.refused(refusal);
        }
    }

    /** Does something for a request that found nothing; returns null, or why there is nothing. */
    private @Nullable MemoryExhaustedException prepare(int count) {
        long fresh;
        long missing;
        boolean addresses;
        boolean isolated;
        synchronized (state) {
            state.recoverIfNeededLocked();
            state.checkOpenLocked();
            fresh = count - state.freeLocked();
            missing = fresh - (state.budget.committed.roomBytes() >> Granules.SHIFT);
            addresses = state.findLocked(Kind.COLD, count) != null;
            isolated = state.isolated > 0;
        }
        if (missing > 0) {
            boolean made = state.budget.committed.makeRoom(Granules.bytes(fresh));
            return made ? null : state.budget.committed.exhausted(Granules.bytes(count));
        }
        if (!addresses) {
            return findAddresses(count);
        }
        if (isolated && state.awaitIsolated()) {
            return null;
        }
        return replaceScattered(count);
    }

    /** It could not be moved: fresh memory in its place. */
    private @Nullable MemoryExhaustedException replaceScattered(int count) {
        long scattered = count - (state.budget.committed.roomBytes() >> Granules.SHIFT);
        @Nullable OsCallException[] refused = new @Nullable OsCallException[1];
        if (scattered <= 0 || uncommitter.uncommit(scattered, refused) > 0) {
            return null;
        }
        OsCallException refusal = refused[0];
        // If nothing was refused, others were faster, and what they have isolated comes back.
        return refusal == null ? null : MemoryExhaustedException.refused(refusal);
    }

    private @Nullable MemoryExhaustedException findAddresses(int count) {
        MemoryExhaustedException failure = reserve(count);
        if (failure == null) {
            return null;
        }
        // Where memory comes with addresses, it may be the limit on memory. Room is no help where
        // it was the system.
        long bytes = Granules.bytes(count);
        MemoryBudget budget = state.budget;
        if ((budget.reserved.isExhausted(failure) && budget.reserved.makeRoom(bytes))
                || (budget.committed.isExhausted(failure) && budget.committed.makeRoom(bytes))) {
            return null;
        }
        // Warm and cold neighbours are one run when both are cold, whoever has uncommitted some.
        boolean changed = uncommitter.uncommit(Long.MAX_VALUE) > 0 || state.awaitIsolated();
        return changed || hasAddresses(count) ? null : failure;
    }

    /**
     * Reserves contiguous addresses for so many granules, unless somebody just has.
     *
     * @return why it could not; null if there are such addresses now
     */
    private @Nullable MemoryExhaustedException reserve(int count) {
        return reserve(count, count);
    }

    private @Nullable MemoryExhaustedException reserve(int count, int fresh) {
        synchronized (reserving) {
            return hasAddresses(count) ? null : reserving.reserve(Granules.bytes(fresh));
        }
    }

    private boolean hasAddresses(int count) {
        synchronized (state) {
            state.recoverIfNeededLocked();
            state.checkOpenLocked();
            return state.findLocked(Kind.COLD, count) != null;
        }
    }
}
