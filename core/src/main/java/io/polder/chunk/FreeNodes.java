package io.polder.chunk;

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
    private final Bits nodes = new Bits(RootArea.NODES);
    private final short[] counts = new short[ChunkLevel.COUNT];
    private final FreeRoots roots;
    private final int slot;

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
        for (int level = 0; level < counts.length; level++) {
            counts[level] = 0;
        }
    }

    boolean contains(int node) {
        return nodes.get(node);
    }

    /** How many there are of a level. */
    int count(int level) {
        return counts[level];
    }

    /** The first node from {@code node} on, of any level; {@link RootArea#NODES} if none. */
    int next(int node) {
        return nodes.next(node);
    }

    /** How large the bits and the counts are, in bytes. */
    long sizeBytes() {
        return nodes.sizeBytes() + (long) counts.length * Short.BYTES;
    }

    void verify() {
        for (int level = 0; level < counts.length; level++) {
            int set = nodes.count(1 << level, 2 << level);
            if (counts[level] != set || roots.contains(level, slot) != set > 0) {
                throw new AssertionError(
                        "count == bits set, root listed iff count > 0: level="
                                + level
                                + ", count="
                                + counts[level]
                                + ", set="
                                + set
                                + ", slot="
                                + slot
                                + ", listed="
                                + roots.contains(level, slot));
            }
        }
    }
}
