package io.polder.chunk;

import io.polder.memory.MemoryBudget;
import io.polder.memory.Zeroing;

/** What is inside a space, for a test that checks it from outside. */
public final class ChunkInside {
    private ChunkInside() {}

    /** What the space draws on. */
    public static MemoryBudget budget(ChunkSpace space) {
        return space.state.budget;
    }

    /**
     * Checks that what is free and committed reads as zero, unless it is marked as dirty. Only at
     * rest.
     *
     * @throws AssertionError if it does not; says where
     */
    public static void requireFreeIsZero(ChunkSpace space) {
        SpaceState state = space.state;
        synchronized (state) {
            state.recoverIfNeededLocked();
            for (RootArea root : state.roots.bySlot) {
                if (root != null) {
                    look(root, state.pages.bytes());
                }
            }
        }
    }

    private static void look(RootArea root, long pageBytes) {
        for (int node = root.warm.next(0); node < RootArea.NODES; node = root.warm.next(node + 1)) {
            long from = RootArea.offset(node);
            long end = from + ChunkLevel.bytes(RootArea.level(node));
            while (from < end) {
                int page = (int) (from / pageBytes);
                long to = Math.min(end, (page + 1) * pageBytes);
                if (root.committed.get(page) && !root.dirty.get(page)) {
                    requireZero(root.address + from, root.address + to);
                }
                from = to;
            }
        }
    }

    private static void requireZero(long from, long to) {
        for (long at = from; at < to; at += Long.BYTES) {
            long word = Zeroing.ADDRESS_SPACE.get(Zeroing.WORD, at);
            if (word != 0) {
                throw new AssertionError(
                        "free memory reads as zero: at=%x, found=%x".formatted(at, word));
            }
        }
    }
}
