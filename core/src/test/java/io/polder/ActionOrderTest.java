package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.arena.Seed;

import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Supplier;

/** Cleanup actions run in the order in which the JDK's arenas run them: the last one first. */
class ActionOrderTest {
    private static final int ROUNDS = 200;

    /** Which actions ran, in their order, where memory was allocated before the first. */
    private static List<Integer> ran(Arena arena, SplittableRandom random) {
        arena.allocate(1 + random.nextInt(100));
        return ranInAny(arena, random);
    }

    @SuppressWarnings("restricted") // the only way to register an action
    private static List<Integer> ranInAny(Arena arena, SplittableRandom random) {
        List<Integer> ran = new ArrayList<>();
        int count = 3 + random.nextInt(5);
        for (int i = 0; i < count; i++) {
            if (i > 0 && random.nextBoolean()) {
                arena.allocate(1L << random.nextInt(18));
            }
            if (random.nextInt(4) == 0) {
                assertThat(arena.scope().isAlive()).isTrue();
            }
            int number = i;
            MemorySegment _ =
                    MemorySegment.ofAddress(16).reinterpret(8, arena, _ -> ran.add(number));
        }
        arena.close();
        assertThat(ran).hasSize(count);
        return ran;
    }

    private static void assertAsInTheJdk(Supplier<Arena> its, Supplier<Arena> ours, long seed) {
        for (int round = 0; round < ROUNDS; round++) {
            assertThat(ran(ours.get(), new SplittableRandom(seed + round)))
                    .as("seed %d", seed + round)
                    .isEqualTo(ran(its.get(), new SplittableRandom(seed + round)));
        }
    }

    @Test
    void confined_runsActionsAsTheJdkDoes() {
        assertAsInTheJdk(Arena::ofConfined, MemoryPool::ofConfined, Seed.get());
    }

    @Test
    void shared_runsActionsAsTheJdkDoes() {
        assertAsInTheJdk(Arena::ofShared, MemoryPool::ofShared, Seed.get());
    }

    @Test
    void freeing_runsActionsAsTheJdkDoes() {
        try (MemoryPool pool = MemoryPool.builder().build()) {
            assertAsInTheJdk(
                    Arena::ofConfined, () -> new WrappedFreeing(pool.openFreeing()), Seed.get());
        }
    }

    /** The JDK's confined arenas run the first one first then. */
    @Test
    void nothingAllocated_runsTheLastOneFirst() {
        BootstrapArenas first = new BootstrapArenas(2);
        SplittableRandom random = new SplittableRandom(Seed.get());
        try (MemoryPool pool = MemoryPool.builder().build()) {
            List<Supplier<Arena>> each =
                    List.of(
                            first::openConfined,
                            first::openShared,
                            pool::openConfined,
                            pool::openShared,
                            () -> new WrappedFreeing(pool.openFreeing()));
            for (Supplier<Arena> ours : each) {
                List<Integer> ran = ranInAny(ours.get(), random);
                assertThat(ran).isSortedAccordingTo(Comparator.reverseOrder());
            }
        }
    }

    @Test
    void tracked_runsActionsAsTheJdkDoes() {
        try (MemoryPool pool = MemoryPool.builder().leaks(LeakDetection.ALL).build()) {
            assertAsInTheJdk(Arena::ofConfined, pool::openConfined, Seed.get());
            assertAsInTheJdk(Arena::ofShared, pool::openShared, Seed.get());
        }
    }
}
