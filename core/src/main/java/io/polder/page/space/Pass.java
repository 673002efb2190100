package io.polder.page.space;

/**
 * Somebody who has granules in hand: who assembles, uncommits, renews, releases or cleans.
 *
 * <p>What it claimed is its own until it is over. It says so last, whatever ended it, by a store in
 * a finally block; what it still has in hand then is settled by whoever takes the lock of the
 * {@link PageState} next: see {@link Extent}.
 */
final class Pass {
    /** Volatile: who sees it also sees how far the extents came. */
    volatile boolean over;
}
