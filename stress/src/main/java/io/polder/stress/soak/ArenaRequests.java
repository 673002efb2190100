package io.polder.stress.soak;

import io.polder.FreeingArena;
import io.polder.MemoryPool;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;

/** What requests do with arenas. */
final class ArenaRequests {
    private static final int ALLOCATIONS_MAX = 6;
    private static final int NESTED_ONE_IN = 8;
    private static final int COMMON_ONE_IN = 8;
    private static final int FREED = 40;
    private static final int ALIGNMENT_MAX_LOG2 = 6;

    private final Places places;

    ArenaRequests(Places places) {
        this.places = places;
    }

    /** A confined arena, some with another inside; some on the common pool. */
    void confined(MemoryPool pool, SplittableRandom random) {
        boolean common = random.nextInt(COMMON_ONE_IN) == 0;
        try (Arena arena = common ? MemoryPool.ofConfined() : pool.openConfined()) {
            List<Painted> painted = fill(arena, random);
            if (random.nextInt(NESTED_ONE_IN) == 0) {
                confined(pool, random);
            }
            painted.forEach(Painted::check);
        }
    }

    /** An arena that any thread may use: two fill it, and another one closes it. */
    void shared(Supplier<Arena> open, SplittableRandom random) throws InterruptedException {
        Arena arena = open.get();
        boolean left = false;
        try {
            ConcurrentLinkedQueue<Painted> painted = new ConcurrentLinkedQueue<>();
            if (random.nextInt(NESTED_ONE_IN) == 0) {
                fillTogether(arena, random, painted);
            } else {
                painted.addAll(fill(arena, random));
            }
            left = true;
            places.leave(random, new HeldArena(arena, List.copyOf(painted)));
        } finally {
            if (!left) {
                arena.close();
            }
        }
    }

    /** Another thread fills it at the same time; what that is refused, the caller does not miss. */
    private static void fillTogether(
            Arena arena, SplittableRandom random, ConcurrentLinkedQueue<Painted> painted)
            throws InterruptedException {
        SplittableRandom others = random.split();
        Captured captured = new Captured();
        Thread other =
                Thread.ofVirtual()
                        .start(captured.capturing(() -> painted.addAll(fill(arena, others))));
        try {
            painted.addAll(fill(arena, random));
        } finally {
            other.join();
        }
        captured.rethrow();
    }

    /** An arena whose segments are freed one by one. */
    void freeing(MemoryPool pool, SplittableRandom random) {
        try (FreeingArena arena = pool.openFreeing()) {
            List<Painted> painted = new ArrayList<>();
            for (int i = 0; i < FREED; i++) {
                if (painted.isEmpty() || random.nextBoolean()) {
                    MemorySegment segment = arena.allocate(Sizes.next(random), alignment(random));
                    painted.add(Painted.ofZeros(segment, random.nextLong()));
                } else {
                    Painted one = painted.remove(random.nextInt(painted.size()));
                    one.check();
                    arena.free(one.segment());
                }
            }
            painted.forEach(Painted::check);
        }
    }

    private static List<Painted> fill(Arena arena, SplittableRandom random) {
        List<Painted> painted = new ArrayList<>();
        int count = 1 + random.nextInt(ALLOCATIONS_MAX);
        for (int i = 0; i < count; i++) {
            MemorySegment segment = arena.allocate(Sizes.next(random), alignment(random));
            painted.add(Painted.ofZeros(segment, random.nextLong()));
        }
        return painted;
    }

    private static long alignment(SplittableRandom random) {
        return 1L << random.nextInt(ALIGNMENT_MAX_LOG2 + 1);
    }

    private record HeldArena(Arena arena, List<Painted> painted) implements Held {
        @Override
        public void end() {
            painted.forEach(Painted::check);
            arena.close();
        }
    }
}
