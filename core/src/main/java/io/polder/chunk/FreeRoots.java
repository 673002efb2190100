package io.polder.chunk;

/**
 * Which root chunks have free chunks of which level; one of these for warm chunks, one for cold.
 *
 * <pre>{@code
 *   levels        0 0 0 1 0 0 1 0 0 0 0 0 1      bit: some root has a free chunk of this level
 *                       |     |           |
 *   slotsByLevel        v     v           v      bit: the root in this slot has one
 * }</pre>
 *
 * <p>The root in the lowest slot comes first, so that use gathers there and the others empty.
 *
 * <p>Invariant: bit {@code l} of {@code levels} is set iff some bit of {@code slotsByLevel[l]} is.
 *
 * <p>Not thread-safe: guarded by the lock of the {@link SpaceState} it belongs to.
 */
final class FreeRoots {
    Bits[] slotsByLevel = rows(Long.SIZE);
    int levels;

    private static Bits[] rows(int slots) {
        Bits[] rows = new Bits[ChunkLevel.COUNT];
        for (int level = 0; level < rows.length; level++) {
            rows[level] = new Bits(slots);
        }
        return rows;
    }

    /** Makes room for slots up to one; from then on nothing that is added needs memory. */
    void ensure(int slot) {
        Bits[] old = slotsByLevel;
        int size = old[0].size;
        if (slot < size) {
            return;
        }
        Bits[] rows = rows(Math.max(slot + 1, 2 * size));
        for (int level = 0; level < rows.length; level++) {
            rows[level].add(old[level], 0, size);
        }
        slotsByLevel = rows;
    }

    /** Forgets all. */
    void clear() {
        for (int level = 0; level < ChunkLevel.COUNT; level++) {
            slotsByLevel[level].clear();
        }
        levels = 0;
    }

    void add(int level, int slot) {
        slotsByLevel[level].set(slot);
        levels |= 1 << level;
    }

    void remove(int level, int slot) {
        slotsByLevel[level].clear(slot);
        if (first(level) == slotsByLevel[level].size) {
            levels &= ~(1 << level);
        }
    }

    /** The level of the smallest free chunk that is not smaller than {@code level}; -1 if none. */
    int largeEnough(int level) {
        int found = levels & ((2 << level) - 1);
        return found == 0 ? -1 : Integer.SIZE - 1 - Integer.numberOfLeadingZeros(found);
    }

    /**
     * The level of the largest free chunk that is smaller than {@code level} and not smaller than
     * {@code smallest}; -1 if none.
     */
    int smaller(int level, int smallest) {
        int found = levels & ((2 << smallest) - 1) & -(2 << level);
        return found == 0 ? -1 : Integer.numberOfTrailingZeros(found);
    }

    /** The lowest slot whose root has a free chunk of a level that some root has. */
    int first(int level) {
        return slotsByLevel[level].next(0);
    }
}
