package io.polder.chunk;

import java.util.Arrays;

/**
 * The free chunks of one root, either the warm or the cold ones, as bits over the nodes of its
 * tree; keeps {@link FreeRoots} up to date.
 *
 * <p>Invariants: {@code counts[l] == bits set in [1 << l, 2 << l)}; the root is in {@link
 * FreeRoots} for a level iff {@code counts[l] > 0}.
 *
 * <p>Not thread-safe: guarded by the lock of the {@link SpaceState} it belongs to.
 */
final class FreeNodes {
    final Bits nodes = new Bits(RootArea.NODES);
    final short[] counts = new short[ChunkLevel.COUNT];
    final FreeRoots roots;
    final int slot;

    /** No free chunks in the root of a slot. */
    FreeNodes(FreeRoots roots, int slot) {
        this.roots = roots;
        this.slot = slot;
    }

    void add(int node) {
        nodes.set(node);
        int level = RootArea.level(node);
        if (counts[level]++ == 0) {
            roots.add(level, slot);
        }
    }

    void remove(int node) {
        nodes.clear(node);
        int level = RootArea.level(node);
        if (--counts[level] == 0) {
            roots.remove(level, slot);
        }
    }

    /** Forgets all; {@link FreeRoots} must have been cleared. */
    void clear() {
        nodes.clear();
        Arrays.fill(counts, (short) 0);
    }

    /** The first node from {@code node} on, of any level; {@link RootArea#NODES} if none. */
    int next(int node) {
        return nodes.next(node);
    }
}
