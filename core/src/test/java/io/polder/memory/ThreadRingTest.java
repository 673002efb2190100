package io.polder.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.polder.arena.Seed;

import org.junit.jupiter.api.Test;

import java.util.ArrayDeque;
import java.util.SplittableRandom;

/** A ring of threads, next to a queue of the JDK. */
class ThreadRingTest {
    private static final int STEPS = 10_000;

    @Test
    void random_nextToAQueue_isTheSame() {
        long seed = Seed.get();
        Seed.naming(
                seed,
                () -> {
                    int[] done = new int[3];
                    walk(new SplittableRandom(seed), done);
                    for (int times : done) {
                        assertThat(times).isGreaterThan(STEPS / 10);
                    }
                });
    }

    private static void walk(SplittableRandom random, int[] done) {
        ThreadRing<Integer> ring = new ThreadRing<>();
        ArrayDeque<Integer> model = new ArrayDeque<>();
        for (int i = 0; i < STEPS; i++) {
            int step = random.nextInt(done.length);
            if (step == 0) {
                ring.add(i);
                model.addLast(i);
            } else if (!model.isEmpty() && step == 1) {
                ring.turn();
                model.addLast(model.removeFirst());
            } else if (!model.isEmpty()) {
                ring.removeFirst();
                model.removeFirst();
            }
            done[step]++;
            assertThat(ring.size()).isEqualTo(model.size());
            if (!model.isEmpty()) {
                assertThat(ring.first()).isEqualTo(model.getFirst());
            }
            if (i % 100 == 0) {
                assertThat(ring.all()).containsExactlyElementsOf(model);
            }
        }
    }

    @Test
    void first_ofNone_throws() {
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(new ThreadRing<Integer>()::first)
                .withMessageContaining("size=0");
    }
}
