package io.polder.page.space;

import io.polder.event.CommitEvent;
import io.polder.event.Events;
import io.polder.memory.MemoryProvider;
import io.polder.memory.OsCallException;
import io.polder.page.space.Extent.State;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * Makes one long run of scattered granules, by moving their page tables: no byte is copied.
 *
 * <pre>{@code
 *   before   [w][T][T][w][w][T][w][T] ... [. . . . . .]     warm granules between pages; addresses
 *             |        |  |     |
 *             +--------+--+-----+----- remap -> |
 *   after    [.][T][T][.][.][T][.][T] ... [W W W W . .]     a run; the granules went, their
 *                                                           addresses stay
 * }</pre>
 *
 * <p>Sources are the shortest runs, so that longer ones stay whole; among them the highest, since
 * small pages are taken from the lowest. Sources and target are claimed while they are in hand:
 * nobody can take them, and the lock is free during the system calls.
 *
 * <p><b>Failure.</b> What was moved before a call was refused is a shorter run, what was not is
 * free where it is, the rest of the target has addresses only: nothing is lost, nothing doubled.
 *
 * <p><b>Mappings.</b> Nothing is assembled that could bring the space above its share of the
 * process's mappings.
 *
 * <p>Thread-safe: what is planned is claimed under the lock of {@link PageState}.
 */
final class Assembler {
    /** This part of the mappings is for reservations, of which there are few: guessed. */
    private static final int KEPT_FOR_RESERVATIONS = 8;

    /** Runs that are claimed before the lock is free again for a moment: guessed. */
    private static final int RUNS_AT_A_TIME = 4;

    private final PageState state;
    private final MemoryProvider provider;
    private final long seamsMax;

    Assembler(PageState state, long mappingsMax) {
        this.state = state;
        this.provider = state.provider;
        this.seamsMax = mappingsMax - mappingsMax / KEPT_FOR_RESERVATIONS;
    }

    /** What is in hand: addresses to fill, and granules to move there. */
    private static final class Plan {
        final Extent target;
        final List<Extent> sources = new ArrayList<>();

        /** How many of the target's granules are charged and get fresh memory, the last ones. */
        final int fresh;

        /** How many get their memory from the sources. */
        final int toMove;

        /** The sources are runs of classes below this one. */
        final int classesMax;

        /** Whether no granule of the target was moved before. */
        final boolean atHome;

        Plan(Extent target, int fresh, int classesMax) {
            this.classesMax = classesMax;
            this.atHome = !target.area.anyMoved(target.first, target.count);
            this.target = target;
            this.fresh = fresh;
            this.toMove = target.count - fresh;
        }
    }

    /**
     * Assembles a page for the caller, of what is free, and of fresh memory as far as that is not
     * enough.
     *
     * @return null if there is not enough, or it could not be moved
     */
    @Nullable Extent assemblePage(int count) {
        if (!provider.canRemap()) {
            return null;
        }
        Plan plan;
        try (PageLock _ = state.lock()) {
            state.checkOpenLocked();
            int toMove = (int) Math.min(count, state.warmFreeLocked());
            plan = toMove == 0 ? null : planLocked(count, toMove, Demand.CLASSES);
        }
        return plan != null && claimSources(plan) ? carryOut(plan, true) : null;
    }

    /**
     * Assembles a run ahead, of shorter runs only.
     *
     * @return whether it did
     */
    boolean assembleRun(int count) {
        if (!provider.canRemap()) {
            return false;
        }
        Plan plan = null;
        try (PageLock _ = state.lock()) {
            if (canAssembleLocked(count, 0)) {
                plan = planLocked(count, count, Granules.requestClass(count));
            }
        }
        return plan != null && claimSources(plan) && carryOut(plan, false) != null;
    }

    /**
     * Whether a run can be assembled ahead, of granules in runs that are not long enough.
     *
     * @param spare how many granules must be left to those who take some meanwhile
     */
    boolean canAssembleLocked(int count, int spare) {
        return state.warmFreeLocked() >= count + spare && shorterLocked(count) >= count;
    }

    /** How many granules are in runs that are not long enough. */
    private long shorterLocked(int count) {
        long granules = 0;
        for (Area area : state.areasLocked()) {
            RunIndex warm = area.index(State.WARM);
            for (int c = 0; c < Granules.requestClass(count); c++) {
                granules += warm.granules(c);
            }
        }
        return granules;
    }

    /** Claims the target; null if there is none. Sources are of classes below one. */
    private @Nullable Plan planLocked(int count, int toMove, int classesMax) {
        // Each granule may get a mapping, and the end of what is moved another one.
        if (state.mappingsLocked() + toMove + 1 > seamsMax) {
            return null;
        }
        int fresh = count - toMove;
        if (!state.hasColdLocked(count) || (fresh > 0 && !state.claimFreshLocked(fresh))) {
            return null;
        }
        Plan plan = new Plan(state.claimColdLocked(count), fresh, classesMax);
        // Now, so that others who plan see what this one may cost.
        state.movedToLocked(plan.target, toMove);
        return plan;
    }

    /** Claims the sources, a few at a time; if others were faster, gives up and returns false. */
    private boolean claimSources(Plan plan) {
        int missing = plan.toMove;
        while (missing > 0) {
            try (PageLock _ = state.lock()) {
                int claimed = claimSomeLocked(plan, missing);
                if (claimed == 0) {
                    if (plan.atHome) {
                        state.nothingMovedLocked(plan.target);
                    }
                    settleLocked(plan, 0);
                    return false;
                }
                missing -= claimed;
            }
        }
        return true;
    }

    /** Claims a few of the shortest warm runs; returns how many granules they have. */
    private int claimSomeLocked(Plan plan, int missing) {
        int claimed = 0;
        int runs = 0;
        for (int c = 0; c < plan.classesMax && claimed < missing && runs < RUNS_AT_A_TIME; c++) {
            Area area = highestWithLocked(c);
            while (area != null && claimed < missing && runs < RUNS_AT_A_TIME) {
                Extent run = area.highestOfClass(State.WARM, c);
                int count = Math.min(run.count, missing - claimed);
                plan.sources.add(state.claimWarmLocked(run, run.end() - count, count));
                claimed += count;
                runs++;
                area = highestWithLocked(c);
            }
        }
        return claimed;
    }

    /** The highest reservation that has warm runs of a class. */
    private @Nullable Area highestWithLocked(int runClass) {
        for (int i = state.areasLocked().size() - 1; i >= 0; i--) {
            Area area = state.areasLocked().get(i);
            if (area.index(State.WARM).count(runClass) > 0) {
                return area;
            }
        }
        return null;
    }

    /** Moves and frees; returns the page or the run, or null if a call was refused. */
    private @Nullable Extent carryOut(Plan plan, boolean forCaller) {
        int moved = 0;
        try {
            commitFresh(plan);
            for (Extent source : plan.sources) {
                long to = plan.target.area.address(plan.target.first + moved);
                provider.remap(source.address(), to, source.bytes());
                moved += source.count;
            }
        } catch (OsCallException refusal) {
            moved += refusal.done();
            try (PageLock _ = state.lock()) {
                state.refusedLocked(refusal);
            }
        } finally {
            plan.target.dirty = dirt(plan, moved);
            if (moved < plan.toMove) {
                try (PageLock _ = state.lock()) {
                    settleLocked(plan, moved);
                }
            }
        }
        return moved < plan.toMove ? null : done(plan, forCaller);
    }

    private void commitFresh(Plan plan) {
        if (plan.fresh > 0) {
            CommitEvent event = Events.commit();
            Extent target = plan.target;
            long bytes = Granules.bytes(plan.fresh);
            provider.commit(target.area.address(target.first + plan.toMove), bytes);
            if (event != null) {
                event.finish(state.budget.poolName(), PageSpace.PART, bytes);
            }
        }
    }

    /**
     * Frees sources and target after less than all was moved: the target is warm as far as granules
     * came there, and cold beyond. At once, since whoever looked in between would miss some.
     */
    private void settleLocked(Plan plan, int moved) {
        int left = moved;
        for (Extent source : plan.sources) {
            int gone = Math.min(source.count, left);
            left -= gone;
            if (gone == 0) {
                state.returnWarmLocked(source);
                continue;
            }
            Extent rest = gone < source.count ? source.area.split(source, gone) : null;
            state.sourceIsColdLocked(source);
            if (rest != null) {
                state.returnWarmLocked(rest);
            }
        }
        Extent target = plan.target;
        Extent cold = moved == 0 ? target : target.area.split(target, moved);
        cold.dirty = null;
        state.targetIsColdLocked(cold);
        state.movedLocked(moved);
        if (moved > 0) {
            state.targetIsWarmLocked(target);
        }
        state.returnFreshLocked(plan.fresh);
    }

    /**
     * Frees the sources' addresses one by one, so that nobody waits long for the lock, and then the
     * target, or makes the caller's page of it. Until then what was moved counts as claimed.
     */
    private Extent done(Plan plan, boolean forCaller) {
        for (Extent source : plan.sources) {
            try (PageLock _ = state.lock()) {
                state.sourceIsColdLocked(source);
            }
        }
        try (PageLock _ = state.lock()) {
            state.movedLocked(plan.toMove);
            if (forCaller) {
                state.assembledOnAllocation++;
                state.freshIsTakenLocked(plan.fresh);
                return state.targetIsTakenLocked(plan.target);
            }
            state.assembledInBackground++;
            state.targetIsWarmLocked(plan.target);
            return plan.target;
        }
    }

    /** Which granules of the target are dirty: those whose sources were. */
    private static @Nullable BitSet dirt(Plan plan, int moved) {
        BitSet dirt = new BitSet();
        int at = 0;
        for (Extent source : plan.sources) {
            BitSet some = source.dirty;
            if (some != null) {
                for (int i = some.nextSetBit(0); i >= 0; i = some.nextSetBit(i + 1)) {
                    dirt.set(at + i);
                }
            }
            at += source.count;
        }
        dirt.clear(moved, Math.max(moved, dirt.length()));
        return dirt.isEmpty() ? null : dirt;
    }
}
