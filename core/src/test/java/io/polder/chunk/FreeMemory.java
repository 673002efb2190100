package io.polder.chunk;

import io.polder.memory.Zeroing;

import java.util.ArrayList;
import java.util.List;

/** Looks into the memory of a space that nobody owns, which must read as zero. */
public final class FreeMemory {
    private FreeMemory() {}

    /**
     * The places where free memory was written to. What is not committed is not looked at. Only at
     * rest.
     *
     * @return the first address in each OS page that does not read as zero
     */
    public static List<Long> dirty(ChunkSpace space) {
        List<Long> dirty = new ArrayList<>();
        SpaceState state = space.state;
        synchronized (state) {
            state.recoverIfNeededLocked();
            for (int slot = 0; slot < state.roots.slotCount(); slot++) {
                RootArea root = state.roots.bySlot(slot);
                if (root != null) {
                    look(root, state.pages.bytes(), dirty);
                }
            }
        }
        return dirty;
    }

    private static void look(RootArea root, long pageBytes, List<Long> dirty) {
        for (int node = root.warm.next(0); node < RootArea.NODES; node = root.warm.next(node + 1)) {
            long end = RootArea.offset(node) + ChunkLevel.bytes(RootArea.level(node));
            long from = RootArea.offset(node);
            while (from < end) {
                int page = (int) (from / pageBytes);
                long to = Math.min(end, (page + 1) * pageBytes);
                if (root.mask.anyCommitted(page, page + 1)) {
                    look(root.address() + from, root.address() + to, dirty);
                }
                from = to;
            }
        }
    }

    private static void look(long from, long to, List<Long> dirty) {
        for (long at = from; at < to; at += Long.BYTES) {
            long word = Zeroing.ADDRESS_SPACE.get(Zeroing.WORD, at);
            if (word != 0) {
                dirty.add(at + Long.numberOfTrailingZeros(word) / Byte.SIZE);
                return;
            }
        }
    }
}
