package io.polder.arena;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.Await;
import io.polder.chunk.ChunkLevel;
import io.polder.memory.MemoryLimits;
import io.polder.memory.Providers;

import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A thread that is alone in a pool is never refused what a fresh pool would grant, whatever the
 * background has in its hands at that moment.
 */
class OneThreadAloneTest {
    private static final long ROOT = ChunkLevel.ROOT_BYTES;
    private static final int ROUNDS = TestScale.of(400, 800);

    private static ArenaFactory memory(MemoryLimits limits) {
        return Slabs.memory(Slabs.source(Providers.choose().provider(), limits, 16 << 10), 2);
    }

    /** What the background does of what pools do there, as often as it can. */
    private static final class Ticks implements Runnable {
        final AtomicReference<Throwable> failure = new AtomicReference<>();
        private final ArenaFactory memory;
        private final SplittableRandom random;
        private volatile boolean ended;

        Ticks(ArenaFactory memory, SplittableRandom random) {
            this.memory = memory;
            this.random = random;
        }

        @Override
        public void run() {
            try {
                while (!ended) {
                    switch (random.nextInt(3)) {
                        case 0 -> {
                            boolean _ = memory.decay();
                        }
                        case 1 -> {
                            long _ = memory.source().space.decay();
                        }
                        default -> {
                            long _ = memory.source().space.releaseFree(Long.MAX_VALUE);
                        }
                    }
                }
            } catch (Throwable thrown) {
                failure.set(thrown);
            }
        }
    }

    @Test
    void allocate_whatTheLimitAllows_neverRefusedWhileTheBackgroundWorks() throws Exception {
        long seed = Seed.get();
        SplittableRandom random = new SplittableRandom(seed);
        for (int pools = 0; pools < 3; pools++) {
            long limit = ROOT * (1 + random.nextInt(3));
            boolean addressesToo = random.nextBoolean();
            ArenaFactory memory = memory(new MemoryLimits(limit, addressesToo ? limit : 1L << 40));
            Ticks ticks = new Ticks(memory, random.split());
            Thread background = Thread.ofPlatform().start(ticks);
            try {
                Seed.naming(seed, () -> useAll(memory, limit, random));
            } finally {
                ticks.ended = true;
                Await.end(background);
            }
            assertThat(ticks.failure.get()).isNull();
            SlabAudit.check(memory);
        }
    }

    private static void useAll(ArenaFactory memory, long limit, SplittableRandom random) {
        for (int round = 0; round < ROUNDS; round++) {
            try (Arena some = open(memory, random)) {
                for (int i = random.nextInt(6); i >= 0; i--) {
                    some.allocate(1 + random.nextLong(60_000), 8);
                }
            }
            for (int i = random.nextInt(300); i > 0; i--) {
                Thread.onSpinWait();
            }
            // All of the limit in one piece, in pieces, or as a page.
            long piece = Math.min(limit, ROOT) >> (random.nextInt(4) == 0 ? random.nextInt(3) : 0);
            try (Arena all = memory.openShared()) {
                if (random.nextInt(8) == 0) {
                    all.allocate(limit, 8);
                } else {
                    for (long done = 0; done < limit; done += piece) {
                        all.allocate(piece, 8);
                    }
                }
            }
        }
    }

    private static Arena open(ArenaFactory memory, SplittableRandom random) {
        return random.nextBoolean() ? memory.openShared() : memory.openConfined();
    }
}
