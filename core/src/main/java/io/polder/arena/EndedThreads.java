package io.polder.arena;

import io.polder.background.Step;

import java.lang.ref.WeakReference;

/**
 * Looks for threads that have ended, and gives back what they kept: Java tells nobody of their end.
 * So it does with slabs that threads exchange in slots, and that none has taken for a while.
 *
 * <p>It runs while any thread of the pool, or a slot, owns slabs, and keeps no pool reachable: the
 * task of one that is gone ends by itself.
 *
 * <p>Thread-safe.
 */
public final class EndedThreads implements Step {
    private final WeakReference<SlabCache> slabs;

    EndedThreads(SlabCache slabs) {
        this.slabs = new WeakReference<>(slabs);
    }

    @Override
    public boolean run() {
        SlabCache known = slabs.get();
        return known != null && known.tick();
    }
}
