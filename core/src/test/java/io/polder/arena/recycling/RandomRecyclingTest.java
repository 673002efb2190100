package io.polder.arena.recycling;

import io.polder.arena.Seed;

import org.junit.jupiter.api.RepeatedTest;

/** A recycler against a model. */
class RandomRecyclingTest {
    private static final int OPERATIONS = 6000;
    private static final long ARENA_BYTES = 16 << 20;

    private final long seed = Seed.get();

    @RepeatedTest(4)
    void run_random_agreesWithTheModel() {
        Seed.naming(
                seed,
                () -> {
                    try (BumpArena arena = new BumpArena(ARENA_BYTES)) {
                        new RandomRecycling(arena, seed).run(OPERATIONS);
                    }
                });
    }
}
