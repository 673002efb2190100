package io.polder.arena;

import io.polder.background.Step;

import java.lang.ref.WeakReference;

/**
 * Looks for threads that have ended, and gives back what they kept: Java tells nobody of their end.
 *
 * <p>It runs while any thread of the pool owns slabs, and keeps no pool reachable: the task of one
 * that is gone ends by itself.
 *
 * <p>Thread-safe.
 */
public final class EndedThreads implements Step {
    private final WeakReference<ThreadRegistry> registry;

    EndedThreads(ThreadRegistry registry) {
        this.registry = new WeakReference<>(registry);
    }

    @Override
    public boolean run() {
        ThreadRegistry known = registry.get();
        return known != null && known.tick();
    }
}
