package io.polder.page.space;

/**
 * Extents that one thread isolates together: to assemble, uncommit, renew or release them.
 *
 * <p>What it isolated is its own until it is over. It says so last, whatever ended it, by a store
 * in a finally block; what is still isolated then is reclaimed by the thread that takes the lock of
 * the {@link PageState} next: see {@link Extent}.
 */
final class Isolation {
    /** Volatile: a thread that sees it also sees how far the extents came. */
    volatile boolean ended;
}
