package io.polder.arena;

/**
 * The arena of one member of a {@link DeferredGroup}, for what the group has no room for.
 *
 * <p>Thread-safe.
 */
final class DeferredBeyond extends DeferredClose {
    /** Set when its member is closed. */
    volatile boolean ready;

    /** Open, with an arena of its own. */
    DeferredBeyond(SharedArena arena) {
        super(arena);
    }

    @Override
    boolean isReady() {
        return ready;
    }
}
