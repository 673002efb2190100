package io.polder.arena;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.Await;
import io.polder.Crew;
import io.polder.chunk.SpaceCheck;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.lang.foreign.Arena;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Deferred arenas against a model: threads open, use and close the same few arenas at random, while
 * another one ticks. What was painted stays as it is until its scope is dead, also after the close;
 * and nobody finds anything in fresh memory.
 */
@Timeout(300)
class RandomDeferredArenasTest {
    private static final int OPERATIONS = 4000;
    private static final int KEPT = 100;

    @RegisterExtension final Slabs fixture = new Slabs();

    private final ArenaFactory memory = fixture.create(4096, 4);
    private final DeferredPlaces places = new DeferredPlaces();

    /** Arenas whose memory stays for a while after they were closed. */
    private final class DeferredPlaces extends ArenaPlaces {
        /** Some that were closed, whose memory must stay until their scope is dead. */
        private final Queue<Opened> closed = new ConcurrentLinkedQueue<>();

        DeferredPlaces() {
            super(8);
        }

        @Override
        Arena open() {
            return memory.openDeferred();
        }

        @Override
        long size(SplittableRandom random) {
            return random.nextInt(random.nextInt(40) == 0 ? 200_000 : 300);
        }

        @Override
        Opened checked(Opened atAPlace, SplittableRandom random) {
            Opened old = random.nextInt(4) == 0 ? closed.poll() : null;
            return old == null ? atAPlace : old;
        }

        @Override
        void closed(Opened last) {
            closed.add(last);
            if (closed.size() > KEPT) {
                closed.poll();
            }
        }
    }

    @Test
    void run_byThreadsAtOnce_agreesWithTheModel() {
        long seed = Seed.get();
        Seed.naming(seed, () -> run(seed));
        places.end(OPERATIONS);
        memory.close();
        Await.until(() -> !memory.tick());
        assertThat(memory.deferredGroups()).isZero();
        assertThat(Slabs.usedBytes(memory)).isZero();
    }

    private void run(long seed) throws Exception {
        AtomicBoolean done = new AtomicBoolean();
        try (ExecutorService background = Crew.of(1)) {
            Future<?> ticking =
                    background.submit(
                            () -> {
                                while (!done.get()) {
                                    memory.tick();
                                    memory.source().space.decay();
                                    Thread.onSpinWait();
                                }
                            });
            try {
                SeededThreads.run(4, seed, this::use);
            } finally {
                done.set(true);
            }
            ticking.get();
        }
        SpaceCheck.verifyAtRest(memory.source().space);
    }

    private void use(SplittableRandom random) {
        for (int i = 0; i < OPERATIONS; i++) {
            places.step(random);
        }
    }
}
