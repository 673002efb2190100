package io.polder.chunk;

import java.util.ArrayList;
import java.util.List;

/**
 * What can be said about a space for people: its statistics.
 *
 * <p>What is used and free is counted from the bits of the roots.
 */
final class SpaceView {
    private SpaceView() {}

    static ChunkStatistics statisticsLocked(SpaceState state) {
        long held = 0;
        int usedCount = 0;
        List<ChunkStatistics.Free> free = new ArrayList<>();
        long[] committedByLevel = new long[ChunkLevel.COUNT];
        int[] countByLevel = new int[ChunkLevel.COUNT];
        for (int slot = 0; slot < state.roots.slotCount; slot++) {
            RootArea root = state.roots.bySlot[slot];
            if (root != null) {
                held += held(root);
                usedCount += root.used.count();
                count(root, countByLevel, committedByLevel);
            }
        }
        for (int level = 0; level < ChunkLevel.COUNT; level++) {
            free.add(
                    new ChunkStatistics.Free(
                            level,
                            countByLevel[level],
                            countByLevel[level] * ChunkLevel.bytes(level),
                            committedByLevel[level]));
        }
        return new ChunkStatistics(
                state.usageLocked(),
                state.usedBytes,
                held,
                usedCount,
                free,
                state.splits,
                state.merges,
                state.enlargements);
    }

    private static long held(RootArea root) {
        long held = 0;
        for (int node = root.used.next(0); node < RootArea.NODES; node = root.used.next(node + 1)) {
            held += root.committedBytes(node);
        }
        return held;
    }

    private static void count(RootArea root, int[] countByLevel, long[] committedByLevel) {
        for (int level = 0; level < ChunkLevel.COUNT; level++) {
            countByLevel[level] += root.warm.counts[level] + root.cold.counts[level];
        }
        for (int node = root.warm.next(0); node < RootArea.NODES; node = root.warm.next(node + 1)) {
            committedByLevel[RootArea.level(node)] += root.committedBytes(node);
        }
    }
}
