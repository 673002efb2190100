package io.polder.chunk;

/**
 * Makes anew what follows from the truth of a {@link SpaceState}, after a change that was cut
 * short.
 *
 * <pre>{@code
 *   1.  what is in flight no longer           goes back
 *   2.  lists of what is free, by root        from the used nodes and committed pages
 *   3.  sums                                  counted
 * }</pre>
 *
 * <p>It may be cut short itself, at any point; then the next thread begins again. So each step can
 * be done twice, and makes no object.
 *
 * <p>It takes some microseconds for each root chunk, under the lock of the state.
 */
final class Recovery {
    private final SpaceState state;

    /** What is in used nodes of the root that is rebuilt. */
    private final Bits occupied = new Bits(RootArea.UNITS);

    Recovery(SpaceState state) {
        this.state = state;
    }

    /** Runs it; returns how much is committed. */
    long runLocked() {
        endIsolation();
        state.warm.clear();
        state.cold.clear();
        state.roots.reindex();
        long used = 0;
        long committedPages = 0;
        for (RootReservation reservation : state.reserved) {
            for (int i = 0; i < reservation.started; i++) {
                RootArea root = reservation.root(i);
                root.rebuild(occupied);
                if (reservation.inFlight) {
                    root.isolateWhole();
                }
                used += root.usedBytes();
                committedPages += root.committed.count();
            }
        }
        state.usedBytes = used - state.isolatedBytesLocked();
        return state.provider.canUncommit()
                ? committedPages * state.pages.bytes()
                : state.sumLocked();
    }

    /** Gives back what a pass has isolated, of which it uncommitted some, unless it is at it. */
    private void endIsolation() {
        IsolatedChunks isolated = state.isolated;
        RootArea root = isolated.root;
        if (root == null || isolated.inFlight) {
            return;
        }
        int _ = isolated.uncommit(root);
        for (int i = 0; i < isolated.nodeCount; i++) {
            root.used.clear(isolated.nodes[i]);
        }
        isolated.root = null;
    }
}
