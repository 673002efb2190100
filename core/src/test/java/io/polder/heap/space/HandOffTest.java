package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.arena.Seed;
import io.polder.heap.RelocatingHeap;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** Who is told that an update has ended sees it, wherever the object is. */
class HandOffTest extends HeapFixture {
    private static final int OBJECTS = 64;
    private static final int TURNS = 1000;
    private static final int POPULATION = 1000;

    @ParameterizedTest
    @MethodSource("io.polder.heap.space.HeapVariant#all")
    void update_thenTokenHandedOver_isRead(HeapVariant variant) {
        long seed = Seed.get();
        RelocatingHeap heap = heap(variant, 256 * MIB);
        Seed.naming(
                seed,
                () -> play(new Game(heap), variant.moved(POPULATION), new SplittableRandom(seed)));
    }

    private static void play(Game game, long moved, SplittableRandom random)
            throws InterruptedException {
        Churn churn = new Churn(game.heap, random.split(), POPULATION);
        try (Workers workers = Workers.platform()) {
            workers.repeat(churn::round);
            for (int me = 0; me < 2; me++) {
                int mine = me;
                SplittableRandom pick = random.split();
                workers.repeat(() -> game.turn(mine, pick));
            }
            while (workers.goesOn()
                    && (game.turn.get() < TURNS
                            || HeapCheck.counts(space(game.heap)).evacuatedObjects() < moved)) {
                Thread.sleep(1);
            }
        }
        game.end();
        churn.end();
    }

    /**
     * Two players: each in its turn reads what the other has written, and writes to all objects.
     */
    private static final class Game {
        private final RelocatingHeap heap;
        private final long[] objects;

        /** Even turns are the first player's. All objects hold the number of the turn. */
        private final AtomicInteger turn = new AtomicInteger();

        Game(RelocatingHeap heap) {
            this.heap = heap;
            this.objects = objects(heap, OBJECTS, 48);
            for (long object : objects) {
                setWord(heap, object, 0);
            }
        }

        void turn(int me, SplittableRandom random) {
            int now = turn.get();
            if (now % 2 != me) {
                LockSupport.parkNanos(1);
                return;
            }
            for (long object : objects) {
                assertThat(wordOf(heap, object)).isEqualTo(now);
            }
            int first = random.nextInt(OBJECTS);
            for (int i = 0; i < OBJECTS; i++) {
                heap.update(
                        objects[(first + i) % OBJECTS],
                        bytes -> bytes.set(ValueLayout.JAVA_LONG, 0, now + 1));
            }
            turn.set(now + 1);
        }

        void end() {
            for (long object : objects) {
                assertThat(wordOf(heap, object)).isEqualTo(turn.get());
                heap.free(object);
            }
        }
    }
}
