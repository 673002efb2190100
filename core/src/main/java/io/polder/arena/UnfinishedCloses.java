package io.polder.arena;

import org.jspecify.annotations.Nullable;

/**
 * The shared arenas of one pool whose close an {@link Error} cut off: in most cases because no
 * stack was left for it. Nobody may call it a second time, as after a {@code try} with resources;
 * so somebody else ends it.
 *
 * <pre>{@code
 *   close --Error--> linked here --> closed by a trim, where memory is short, or in the background
 *                                |
 *                                +-> closed by its user after all, and found so
 *
 *   first --> arena --> beyond --> arena --> ...
 * }</pre>
 *
 * <p><b>Errors.</b> {@link SharedArena#close} links its arena by stores under the monitor of this,
 * between which nothing is called. It then wakes the background, if there is stack for that; if
 * not, whoever takes memory from the pool or gives some back does.
 *
 * <p>Locking: its own monitor guards the links, and is held for a walk along them; no code of users
 * runs under it. {@link #first} is volatile for a look without.
 */
final class UnfinishedCloses {
    /** The first of them; {@link SharedArena#nextUnfinished} leads on. */
    volatile @Nullable SharedArena first;

    /** Set once, before there is any arena. */
    private Runnable wakeBackground = () -> {};

    /** Sets what makes somebody call {@link #closeAll} soon; called often. */
    void wakeBy(Runnable background) {
        wakeBackground = background;
    }

    /** Whether there are any. */
    boolean any() {
        return first != null;
    }

    /** Has the background close them, if there are any. */
    void wakeIfAny() {
        if (first != null) {
            wakeBackground.run();
        }
    }

    /** Ends these closes, as far as nothing holds the arenas. Runs actions of users. */
    Outcome closeAll() {
        int closed = 0;
        Throwable failure = null;
        for (SharedArena each = first; each != null; each = after(each)) {
            if (!each.isReleased()) {
                Throwable thrown = each.tryClose();
                failure = failure == null ? thrown : failure;
                closed += each.isReleased() ? 1 : 0;
            }
        }
        prune();
        return new Outcome(closed, failure);
    }

    /**
     * What {@link #closeAll} did.
     *
     * @param closed how many arenas were closed
     * @param failure what an action of a user threw first; null if none threw
     */
    record Outcome(int closed, @Nullable Throwable failure) {}

    private synchronized @Nullable SharedArena after(SharedArena one) {
        return one.nextUnfinished;
    }

    /** Takes what is closed out of the list. */
    private synchronized void prune() {
        SharedArena before = null;
        for (SharedArena each = first; each != null; each = each.nextUnfinished) {
            if (!each.isReleased()) {
                before = each;
            } else if (before == null) {
                first = each.nextUnfinished;
            } else {
                before.nextUnfinished = each.nextUnfinished;
            }
        }
    }
}
