package io.polder.arena;

import org.jspecify.annotations.Nullable;

/**
 * The arena of one member of a {@link DeferredGroup}, for what the group has no room for.
 *
 * <p>Thread-safe.
 */
final class OverflowArena extends DeferredClose {
    /** Set when its member is closed. */
    volatile boolean ready;

    /**
     * What its member leaves when this is closed, since segments in it may have memory from there;
     * null if it has left, or does so itself. Written before it is ready, then guarded by the list.
     */
    @Nullable DeferredGroup keeps;

    /** Open, with an arena of its own. */
    OverflowArena(SharedArena arena) {
        super(arena);
    }

    @Override
    boolean isReady() {
        return ready;
    }

    @Override
    boolean releasedLocked() {
        DeferredGroup group = keeps;
        if (group == null) {
            return false;
        }
        group.leave();
        keeps = null;
        return group.isReady();
    }
}
