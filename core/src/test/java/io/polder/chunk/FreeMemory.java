package io.polder.chunk;

import io.polder.memory.Zeroing;

import java.util.ArrayList;
import java.util.List;

/** Looks into the memory of a space that nobody owns: what is not marked must read as zero. */
public final class FreeMemory {
    private FreeMemory() {}

    /**
     * The places where free memory was written to that does not count as dirty. What is not
     * committed is not looked at. Only at rest.
     *
     * @return the first address in each OS page that does not read as zero
     */
    public static List<Long> dirty(ChunkSpace space) {
        List<Long> dirty = new ArrayList<>();
        SpaceState state = space.state;
        synchronized (state) {
            state.recoverIfNeededLocked();
            for (RootArea root : state.roots.bySlot) {
                if (root != null) {
                    look(root, state.pages.bytes(), dirty);
                }
            }
        }
        return dirty;
    }

    /**
     * The same of memory that has an owner, who has not committed it.
     *
     * @param from its first address, of a root chunk of the space
     * @param to its end, in the same root chunk
     */
    public static List<Long> dirty(ChunkSpace space, long from, long to) {
        List<Long> dirty = new ArrayList<>();
        SpaceState state = space.state;
        synchronized (state) {
            for (RootArea root : state.roots.bySlot) {
                if (root != null
                        && from >= root.address
                        && from < root.address + ChunkLevel.ROOT_BYTES) {
                    long offset = from - root.address;
                    look(root, state.pages.bytes(), offset, to - root.address, dirty);
                }
            }
        }
        return dirty;
    }

    /** How much free memory counts as dirty, in bytes of whole OS pages. */
    public static long markedBytes(ChunkSpace space) {
        SpaceState state = space.state;
        long marked = 0;
        synchronized (state) {
            state.recoverIfNeededLocked();
            for (RootArea root : state.roots.bySlot) {
                if (root == null) {
                    continue;
                }
                Bits occupied = RootCheck.occupied(root);
                for (int page = 0; page < state.pages.perRoot(); page++) {
                    boolean free = RootCheck.isFreePage(occupied, root, page);
                    marked += free && root.dirty.get(page) ? state.pages.bytes() : 0;
                }
            }
        }
        return marked;
    }

    private static void look(RootArea root, long pageBytes, List<Long> dirty) {
        for (int node = root.warm.next(0); node < RootArea.NODES; node = root.warm.next(node + 1)) {
            long from = RootArea.offset(node);
            long end = from + ChunkLevel.bytes(RootArea.level(node));
            look(root, pageBytes, from, end, dirty);
        }
    }

    private static void look(
            RootArea root, long pageBytes, long begin, long end, List<Long> dirty) {
        long from = begin;
        while (from < end) {
            int page = (int) (from / pageBytes);
            long to = Math.min(end, (page + 1) * pageBytes);
            if (root.committed.get(page) && !root.dirty.get(page)) {
                look(root.address + from, root.address + to, dirty);
            }
            from = to;
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
