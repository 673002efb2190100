package io.polder;

import java.lang.foreign.Arena;

/** Uses arenas, and then, if told so, waits until management tools and recorders know the pool. */
final class WatcherProbe {
    private WatcherProbe() {}

    public static void main(String[] args) {
        try (Arena arena = MemoryPool.ofConfined();
                Arena shared = MemoryPool.ofShared()) {
            shared.allocate(100_000);
            System.out.println(arena.allocateFrom("Hello").getString(0));
        }
        if (args.length > 0) {
            Await.until("others were told of the pool", () -> OpenPools.INSTANCE.told);
        }
    }
}
