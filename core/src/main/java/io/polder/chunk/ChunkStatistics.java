package io.polder.chunk;

import io.polder.memory.MemoryUsage;

import java.util.ArrayList;
import java.util.List;

/**
 * What a space has, at one moment.
 *
 * <p>{@code used + free + untouched == reserved}, where the untouched rest is address
 * space that no chunk was ever taken from; and {@code used <= reserved}.
 *
 * @param usage what it has reserved and committed
 * @param usedBytes capacity of the chunks that have an owner
 * @param usedCommittedBytes how much of that has memory behind it; an OS page that an owner shares
 *     counts by the part that is the owner's
 * @param usedCount how many chunks have an owner
 * @param free the free chunks, one entry per level, from the largest to the smallest
 */
public record ChunkStatistics(
        MemoryUsage usage,
        long usedBytes,
        long usedCommittedBytes,
        int usedCount,
        List<Free> free) {

    /** Makes the list unmodifiable. */
    public ChunkStatistics {
        free = List.copyOf(free);
    }

    /** Those of a space; what is used and free is counted from the bits of its roots. */
    static ChunkStatistics ofLocked(SpaceState state) {
        long held = 0;
        int usedCount = 0;
        List<Free> free = new ArrayList<>();
        long[] committedByLevel = new long[ChunkLevel.COUNT];
        int[] countByLevel = new int[ChunkLevel.COUNT];
        for (RootArea root : state.roots.bySlot) {
            if (root != null) {
                held += held(root);
                usedCount += root.used.count();
                count(root, countByLevel, committedByLevel);
            }
        }
        for (int level = 0; level < ChunkLevel.COUNT; level++) {
            free.add(new Free(level, countByLevel[level], committedByLevel[level]));
        }
        return new ChunkStatistics(state.usageLocked(), state.usedBytes, held, usedCount, free);
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

    /**
     * The free chunks of one level.
     *
     * @param level the level
     * @param count how many
     * @param committedBytes how much memory is behind them
     */
    public record Free(int level, int count, long committedBytes) {
        /** The size of each. */
        public long chunkBytes() {
            return ChunkLevel.bytes(level);
        }
    }
}
