package io.polder.page.space;

import io.polder.event.Events;
import io.polder.event.UncommitEvent;
import io.polder.memory.MemoryProvider;
import io.polder.memory.OsCallException;
import io.polder.page.space.Extent.State;

import java.util.ArrayList;
import java.util.List;

/**
 * Gives the memory behind free granules back to the operating system, from the highest address
 * down: small pages are taken from the lowest.
 *
 * <pre>{@code
 *   WARM --claim--> CLAIMED --uncommit (or renew, which wins mappings back)--> COLD
 *                      |  refused
 *                      +---------> WARM
 * }</pre>
 *
 * <p>Granules that an assembly moved cost mappings; they are replaced by fresh addresses, which the
 * kernel can join with their neighbours. So are cold ones, before the mappings run out.
 *
 * <p>Where the provider cannot uncommit, reservations that are free as a whole are released.
 *
 * <p>Thread-safe: what is in hand is claimed under the lock of {@link PageState}; system calls are
 * made without it.
 */
final class PageUncommitter {
    /** What is in hand at a time, so that takers need not wait long for it: guessed. */
    private static final int BATCH_MAX = 64;

    private final PageState state;
    private final MemoryProvider provider;
    private final boolean hugePages;

    PageUncommitter(PageState state, boolean hugePages) {
        this.state = state;
        this.hugePages = hugePages;
        this.provider = state.provider;
    }

    /**
     * Uncommits free memory.
     *
     * @param wanted how many granules; less are done if there are less, or calls are refused
     * @return how many were
     */
    long uncommit(long wanted) {
        UncommitEvent event = Events.uncommit();
        long done =
                provider.canUncommit() ? uncommitBatches(wanted) : releaseWhole(State.WARM, wanted);
        if (event != null) {
            event.finish(state.budget.poolName(), PageSpace.PART, Granules.bytes(done));
        }
        return done;
    }

    private long uncommitBatches(long wanted) {
        long done = 0;
        while (done < wanted) {
            List<Extent> batch = new ArrayList<>();
            try (PageLock _ = state.lock()) {
                long left = Math.min(wanted - done, BATCH_MAX);
                claimLocked(batch, left);
            }
            if (batch.isEmpty()) {
                return done;
            }
            long before = done;
            done += uncommit(batch);
            if (done == before) {
                return done; // refused
            }
        }
        return done;
    }

    /**
     * Uncommits free memory, and waits for what others have in hand where that is not enough: it is
     * free as well. Not for who has something in hand himself.
     *
     * @param wanted how many granules
     * @return how many were uncommitted
     */
    long uncommitAlsoClaimed(long wanted) {
        long done = uncommit(wanted);
        while (done < wanted && state.awaitClaims()) {
            done += uncommit(wanted - done);
        }
        return done;
    }

    /**
     * Uncommits free memory that nobody needs.
     *
     * @param portion how many granules now
     * @param most how many there are; where only whole reservations can be released, any up to that
     * @return how many were uncommitted
     */
    long uncommitAtMost(long portion, long most) {
        return provider.canUncommit() ? uncommit(portion) : releaseWhole(State.WARM, most, true);
    }

    private void claimLocked(List<Extent> batch, long wanted) {
        long left = wanted;
        List<Area> areas = state.areasLocked();
        for (int i = areas.size() - 1; i >= 0 && left > 0; i--) {
            Extent run = areas.get(i).highest(State.WARM);
            while (run != null && left > 0) {
                int count = (int) Math.min(run.count, left);
                batch.add(state.claimWarmLocked(run, run.end() - count, count));
                left -= count;
                run = areas.get(i).highest(State.WARM);
            }
        }
    }

    private long uncommit(List<Extent> batch) {
        long done;
        List<Extent> plain = new ArrayList<>();
        List<Extent> moved = new ArrayList<>();
        try (PageLock _ = state.lock()) {
            for (Extent extent : batch) {
                (isWorn(extent) ? moved : plain).add(extent);
            }
        }
        int plainDone = 0;
        int movedDone = 0;
        try {
            plainDone = uncommitAll(plain);
            movedDone = renewAll(moved);
        } finally {
            try (PageLock _ = state.lock()) {
                done = settleLocked(plain, plainDone, false) + settleLocked(moved, movedDone, true);
            }
        }
        return done;
    }

    /** Whether fresh addresses win mappings back. */
    private static boolean isWorn(Extent extent) {
        Area area = extent.area;
        return area.anyMoved(extent.first, extent.count) && area.joins(extent.first);
    }

    /** Uncommits extents; returns how many, and notes why the rest was refused. */
    private int uncommitAll(List<Extent> extents) {
        long[] addresses = extents.stream().mapToLong(Extent::address).toArray();
        long[] sizes = extents.stream().mapToLong(Extent::bytes).toArray();
        if (addresses.length == 0) {
            return 0;
        }
        try {
            provider.uncommit(addresses, sizes, addresses.length);
            return addresses.length;
        } catch (OsCallException refusal) {
            note(refusal);
            return refusal.done();
        }
    }

    /** Replaces extents by fresh addresses, likewise. */
    private int renewAll(List<Extent> extents) {
        int done = 0;
        try {
            for (Extent extent : extents) {
                provider.renew(extent.address(), extent.bytes());
                done++;
                if (hugePages) {
                    provider.adviseHugePages(extent.address(), extent.bytes(), true);
                }
            }
        } catch (OsCallException refusal) {
            note(refusal);
        }
        return done;
    }

    private void note(OsCallException refusal) {
        try (PageLock _ = state.lock()) {
            state.refusedLocked(refusal);
        }
    }

    private long settleLocked(List<Extent> extents, int done, boolean renewed) {
        long granules = 0;
        for (int i = 0; i < extents.size(); i++) {
            Extent extent = extents.get(i);
            if (i < done) {
                granules += extent.count;
                if (renewed) {
                    state.renewedLocked(extent);
                }
                state.returnUncommittedLocked(extent);
            } else {
                state.returnWarmLocked(extent);
            }
        }
        return granules;
    }

    /**
     * Replaces cold granules that were moved once by fresh addresses, which costs nothing but the
     * calls and wins mappings back.
     *
     * @return how many granules were replaced
     */
    long renewCold() {
        List<Extent> batch = new ArrayList<>();
        try (PageLock _ = state.lock()) {
            for (Area area : state.areasLocked()) {
                for (Extent extent : area.extents()) {
                    if (extent.state == State.COLD && isWorn(extent) && batch.size() < BATCH_MAX) {
                        batch.add(area.cut(extent, extent.first, extent.count, State.CLAIMED));
                    }
                }
            }
        }
        int done = 0;
        try {
            done = renewAll(batch);
        } finally {
            try (PageLock _ = state.lock()) {
                settleColdLocked(batch, done);
            }
        }
        return batch.subList(0, done).stream().mapToLong(extent -> extent.count).sum();
    }

    private void settleColdLocked(List<Extent> batch, int done) {
        for (int i = 0; i < batch.size(); i++) {
            Extent extent = batch.get(i);
            if (i < done) {
                state.renewedLocked(extent);
            }
            state.targetIsColdLocked(extent);
        }
    }

    /**
     * Releases reservations that are free as a whole.
     *
     * @param kind whether with memory behind them or without
     * @param wanted how many granules at least, if there are
     * @return how many
     */
    long releaseWhole(State kind, long wanted) {
        return releaseWhole(kind, wanted, false);
    }

    private long releaseWhole(State kind, long wanted, boolean atMost) {
        long done = 0;
        List<Area> candidates;
        try (PageLock _ = state.lock()) {
            candidates = List.copyOf(state.areasLocked());
        }
        for (int i = candidates.size() - 1; i >= 0 && done < wanted; i--) {
            Area area = candidates.get(i);
            if (!atMost || area.size() <= wanted - done) {
                done += release(area, kind);
            }
        }
        return done;
    }

    private long release(Area area, State kind) {
        Extent whole;
        try (PageLock _ = state.lock()) {
            if (!state.areasLocked().contains(area) || !area.isWhole(kind)) {
                return 0;
            }
            whole =
                    kind == State.WARM
                            ? state.claimWarmLocked(area.at(0), 0, area.size())
                            : area.cut(area.at(0), 0, area.size(), State.CLAIMED);
        }
        boolean released = false;
        try {
            provider.release(area.address(), area.bytes());
            released = true;
        } catch (OsCallException refusal) {
            note(refusal);
        } finally {
            try (PageLock _ = state.lock()) {
                settleReleaseLocked(whole, kind, released);
            }
        }
        return released ? area.size() : 0;
    }

    private void settleReleaseLocked(Extent whole, State kind, boolean released) {
        if (released) {
            if (kind == State.WARM) {
                state.claimedIsGoneLocked(whole.count);
            }
            state.removeLocked(whole.area);
        } else if (kind == State.WARM) {
            state.returnWarmLocked(whole);
        } else {
            state.targetIsColdLocked(whole);
        }
    }
}
