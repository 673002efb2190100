package io.polder;

/**
 * What a {@link MemoryPool} is and holds.
 *
 * @param pooled whether arenas take slabs; if not, they are the JDK's
 * @param provider where memory comes from: {@code linux}, or {@code plain} elsewhere and where
 *     native access is denied
 * @param reason why that is so, in words
 * @param slabBytes the size of a slab in bytes
 * @param slabsPerThread how many slabs a platform thread keeps at most
 * @param reservedBytes address space reserved for slabs; only the OS pages that were used have
 *     memory behind them
 * @param slabs slabs in existence
 * @param freeSlabs of those, the ones that nobody holds: no open arena, no thread, and none of the
 *     places where virtual threads exchange them
 * @param threads platform threads that keep slabs, some of which may just have ended
 * @param refusals times that the operating system refused memory, and the JDK's was used instead
 */
public record PoolStatistics(
        boolean pooled,
        String provider,
        String reason,
        long slabBytes,
        int slabsPerThread,
        long reservedBytes,
        long slabs,
        long freeSlabs,
        int threads,
        long refusals) {}
