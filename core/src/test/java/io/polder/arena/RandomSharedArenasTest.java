package io.polder.arena;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.chunk.SpaceCheck;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.lang.foreign.Arena;
import java.util.SplittableRandom;

/**
 * Shared arenas against a model: threads open, use and close the same few arenas at random. What
 * one painted, all find, as long as the arena is open; and nobody finds anything in fresh memory.
 */
class RandomSharedArenasTest {
    private static final int OPERATIONS = 1500;

    @RegisterExtension final Slabs fixture = new Slabs();

    /** Arenas that are dead as soon as they are closed. */
    private static final class SharedPlaces extends ArenaPlaces {
        private final ArenaFactory memory;

        SharedPlaces(ArenaFactory memory) {
            super(6);
            this.memory = memory;
        }

        @Override
        Arena open() {
            return memory.openShared();
        }

        @Override
        long size(SplittableRandom random) {
            return random.nextInt(60);
        }

        @Override
        void refused(Opened closed) {
            assertThat(closed.arena().scope().isAlive()).isFalse();
        }
    }

    @Test
    void run_byThreadsAtOnce_agreesWithTheModel() {
        ArenaFactory memory = fixture.create(4096, 4);
        ArenaPlaces places = new SharedPlaces(memory);
        long seed = Seed.get();
        Seed.naming(seed, () -> SeededThreads.run(4, seed, random -> use(places, random)));
        SpaceCheck.verifyAtRest(memory.source().space);
        places.end(OPERATIONS);
    }

    private static void use(ArenaPlaces places, SplittableRandom random) {
        for (int i = 0; i < OPERATIONS; i++) {
            places.step(random);
        }
    }
}
