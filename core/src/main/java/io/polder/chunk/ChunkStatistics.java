package io.polder.chunk;

import io.polder.memory.MemoryUsage;

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
 * @param splits how often a chunk was halved
 * @param merges how often two buddies became one
 * @param enlargements how often a chunk was doubled in place
 */
public record ChunkStatistics(
        MemoryUsage usage,
        long usedBytes,
        long usedCommittedBytes,
        int usedCount,
        List<Free> free,
        long splits,
        long merges,
        long enlargements) {

    /** Makes the list unmodifiable. */
    public ChunkStatistics {
        free = List.copyOf(free);
    }

    /**
     * The free chunks of one level.
     *
     * @param level the level
     * @param count how many
     * @param bytes their capacity
     * @param committedBytes how much of that has memory behind it
     */
    public record Free(int level, int count, long bytes, long committedBytes) {
        /** The size of each. */
        public long chunkBytes() {
            return ChunkLevel.bytes(level);
        }
    }
}
