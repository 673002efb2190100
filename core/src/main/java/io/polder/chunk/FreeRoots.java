package io.polder.chunk;

import java.util.BitSet;

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
 * <p>Invariant: bit {@code l} of {@code levels} is set iff {@code slotsByLevel[l]} is not empty.
 *
 * <p>Not thread-safe: guarded by the lock of the {@link SpaceState} it belongs to.
 */
final class FreeRoots {
    private final BitSet[] slotsByLevel = new BitSet[ChunkLevel.COUNT];
    private int levels;

    FreeRoots() {
        for (int level = 0; level < slotsByLevel.length; level++) {
            slotsByLevel[level] = new BitSet();
        }
    }

    void add(int level, int slot) {
        slotsByLevel[level].set(slot);
        levels |= 1 << level;
    }

    void remove(int level, int slot) {
        BitSet slots = slotsByLevel[level];
        slots.clear(slot);
        if (slots.isEmpty()) {
            levels &= ~(1 << level);
        }
    }

    boolean contains(int level, int slot) {
        return slotsByLevel[level].get(slot);
    }

    /** Which levels there are, as bits. */
    int levels() {
        return levels;
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
        return slotsByLevel[level].nextSetBit(0);
    }

    void verify() {
        for (int level = 0; level < slotsByLevel.length; level++) {
            if (((levels & (1 << level)) != 0) == slotsByLevel[level].isEmpty()) {
                throw new AssertionError(
                        "a level is marked iff some root has a free chunk of it: level="
                                + level
                                + ", levels="
                                + Integer.toBinaryString(levels)
                                + ", slots="
                                + slotsByLevel[level]);
            }
        }
    }
}
