package io.polder;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** A program for {@link ChildJvm}: uses the common pool, and prints what that is. */
final class PoolProbe {
    private PoolProbe() {}

    /** Uses the pool. */
    public static void main(String[] arguments) {
        boolean works = true;
        for (int i = 0; i < 100; i++) {
            try (Arena confined = MemoryPool.ofConfined();
                    Arena shared = MemoryPool.ofShared()) {
                for (Arena arena : new Arena[] {confined, shared}) {
                    MemorySegment small = arena.allocate(i);
                    MemorySegment large = arena.allocate(300L * i, 64);
                    works &= Paint.isZero(small) && Paint.isZero(large);
                    Paint.paint(small, i);
                    Paint.paint(large, i + 1L);
                    works &= Paint.isPainted(small, i) && Paint.isPainted(large, i + 1L);
                }
            }
        }
        PoolStatistics stats = MemoryPool.common().stats();
        System.out.println(
                "works=%s pooled=%s bytes=%d count=%d slabs=%s provider=%s"
                        .formatted(
                                works,
                                stats.arenas().pooled(),
                                stats.arenas().slabBytes(),
                                stats.arenas().slabsPerThread(),
                                stats.capacityBytes() > 0,
                                stats.provider()));
    }
}
