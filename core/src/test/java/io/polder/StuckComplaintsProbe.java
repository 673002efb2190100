package io.polder;

import java.lang.foreign.Arena;

/** Needs what bad settings are complained of by, and ends. */
final class StuckComplaintsProbe {
    private StuckComplaintsProbe() {}

    public static void main(String[] args) {
        MemoryPool pool = MemoryPool.common();
        try (Arena arena = pool.openConfined()) {
            arena.allocate(10);
        }
        pool.blocks().freeAddress(pool.blocks().allocateAddress(10));
        System.out.println("main ends");
    }
}
