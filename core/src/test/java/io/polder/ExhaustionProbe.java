package io.polder;

import io.polder.heap.RelocatingHeap;

import java.lang.foreign.Arena;
import java.time.Duration;

/**
 * A program for {@link ChildJvm}: uses up a pool of 4 MiB three times, and prints what it was told.
 * One argument: whether that is logged.
 */
final class ExhaustionProbe {
    private ExhaustionProbe() {}

    /** Uses up the pool. */
    public static void main(String[] arguments) {
        MemoryPool pool =
                MemoryPool.builder()
                        .name("small")
                        .committedMaxBytes(4 << 20)
                        .decay(Duration.ofHours(1)) // what the arena leaves stays committed
                        .logExhaustion(Boolean.parseBoolean(arguments[0]))
                        .build();
        try (Arena arena = pool.openShared()) {
            arena.allocate(3 << 20);
            for (long bytes : new long[] {2 << 20, 5 << 20}) {
                try {
                    arena.allocate(bytes);
                } catch (OutOfMemoryError full) {
                    System.out.println(full.getMessage());
                }
            }
        }
        try (RelocatingHeap heap = pool.openHeap()) {
            long _ = heap.allocate(6 << 20);
        } catch (OutOfMemoryError full) {
            System.out.println(full.getMessage());
        }
        pool.close();
    }
}
