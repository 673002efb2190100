package io.polder.arena;

/**
 * What {@link SlabMemory} holds at one moment.
 *
 * @param reservedBytes address space reserved for slabs
 * @param slabs slabs in existence
 * @param free of those, the ones that neither an arena, nor a thread, nor a slot holds
 * @param threads platform threads that keep slabs
 * @param failures times that the system refused memory
 */
public record SlabCounts(long reservedBytes, long slabs, long free, int threads, long failures) {
    /** What a pool without slabs holds. */
    public static final SlabCounts NONE = new SlabCounts(0, 0, 0, 0, 0);
}
