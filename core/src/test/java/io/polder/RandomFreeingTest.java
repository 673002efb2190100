package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.arena.OtherThread;
import io.polder.arena.Seed;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.RepeatedTest;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Random operations on freeing arenas of one pool, two at a time, compared with a model: the
 * segments that are live, and the pattern painted on each.
 */
class RandomFreeingTest {
    private static final int OPERATIONS = 6000;
    private static final int LIVE_MAX = 400;
    private static final long LIMIT = 32 << 20;

    private final long seed = Seed.get();
    private final SplittableRandom random = new SplittableRandom(seed);
    private final Mix<Operation> mix =
            new Mix<>(Operation.class, operation -> operation.weight, random);
    private int painted;
    private int refused;

    /** What is done, and how often in a hundred. */
    private enum Operation {
        ALLOCATE(40),
        ALLOCATE_ALIGNED(8),
        FREE(40),
        MISUSE(5),
        EXHAUST(4),
        REOPEN(3);

        private final int weight;

        Operation(int weight) {
            this.weight = weight;
        }
    }

    private record Painted(MemorySegment segment, int seed) {}

    /** An arena, and what is live in it. */
    private static final class Model {
        private final MemoryPool pool;
        private FreeingArena arena;
        private final List<Painted> live = new ArrayList<>();
        private @Nullable MemorySegment freed;

        Model(MemoryPool pool) {
            this.pool = pool;
            this.arena = pool.openFreeing();
        }

        void verify() {
            PoolCheck.verify(arena);
            assertThat(arena.live.count).isEqualTo(live.size());
            long bytes = live.stream().mapToLong(each -> each.segment().byteSize()).sum();
            assertThat(arena.allocatedBytes()).isEqualTo(bytes);
        }

        void reopen() {
            live.forEach(Model::check);
            arena.close();
            live.clear();
            freed = null;
            arena = pool.openFreeing();
        }

        static void check(Painted each) {
            assertThat(Paint.isPainted(each.segment(), each.seed()))
                    .describedAs("segment %s, seed %d", each.segment(), each.seed())
                    .isTrue();
        }
    }

    @RepeatedTest(4)
    void run_random_agreesWithTheModel() {
        Seed.naming(seed, this::run);
    }

    private void run() {
        try (MemoryPool pool = MemoryPool.builder().committedMaxBytes(LIMIT).build()) {
            Model[] models = {new Model(pool), new Model(pool)};
            for (int i = 0; i < OPERATIONS; i++) {
                Model model = models[random.nextInt(models.length)];
                Operation drawn = mix.draw();
                Operation operation = model.live.isEmpty() ? Operation.ALLOCATE : drawn;
                mix.did(operation);
                step(model, operation);
                if (i % 50 == 0) {
                    model.verify();
                }
            }
            for (Model each : models) {
                each.verify();
                each.live.forEach(Model::check);
                each.arena.close();
            }
            mix.verify(OPERATIONS);
            assertThat(refused).describedAs("requests refused").isGreaterThan(OPERATIONS / 60);
            pool.trim();
            assertThat(pool.stats().usedBytes()).isZero();
            assertThat(pool.stats().committedBytes()).isZero();
        }
    }

    private void step(Model model, Operation operation) {
        switch (operation) {
            case ALLOCATE -> allocate(model, 1L << random.nextInt(5));
            case ALLOCATE_ALIGNED -> allocate(model, 32L << random.nextInt(17));
            case FREE -> {
                free(model);
                if (model.live.size() > LIVE_MAX) {
                    free(model);
                }
            }
            case MISUSE -> misuse(model);
            case EXHAUST -> {
                assertThat(OtherThread.thrownBy(() -> model.arena.allocate(LIMIT + 1, 1)))
                        .isInstanceOf(OutOfMemoryError.class);
                refused++;
            }
            case REOPEN -> model.reopen();
        }
    }

    /** Mostly small; at times nothing, or a page. */
    private long size() {
        return switch (random.nextInt(24)) {
            case 0 -> 0;
            case 1, 2, 3 -> random.nextInt(6000);
            case 4 -> random.nextInt(100_000);
            case 5 -> random.nextInt(12) == 0 ? random.nextInt(3 << 20) : 9000;
            default -> random.nextInt(150);
        };
    }

    private void allocate(Model model, long alignment) {
        long size = size();
        MemorySegment segment;
        try {
            segment = model.arena.allocate(size, alignment);
        } catch (OutOfMemoryError limit) {
            assertThat(limit).hasMessageContaining("committedMaxBytes=" + LIMIT);
            refused++;
            return;
        }
        assertThat(segment.byteSize()).isEqualTo(size);
        assertThat(segment.address() & (Math.max(alignment, 16) - 1)).isZero();
        assertThat(Paint.isZero(segment)).isTrue();
        Paint.paint(segment, ++painted);
        model.live.add(new Painted(segment, painted));
    }

    private void free(Model model) {
        Painted victim = model.live.remove(random.nextInt(model.live.size()));
        Model.check(victim);
        model.arena.free(victim.segment());
        model.freed = victim.segment();
    }

    private void misuse(Model model) {
        MemorySegment any = model.live.get(random.nextInt(model.live.size())).segment();
        refuse(model, MemorySegment.ofArray(new byte[16]));
        if (any.byteSize() > 1) {
            refuse(model, any.asSlice(0, random.nextLong(any.byteSize())));
            refuse(model, any.asSlice(random.nextLong(any.byteSize() - 1) + 1));
        }
        MemorySegment last = model.freed;
        if (last != null && model.live.stream().noneMatch(each -> isSame(each.segment(), last))) {
            refuse(model, last);
        }
    }

    private static boolean isSame(MemorySegment one, MemorySegment other) {
        return one.address() == other.address() && one.byteSize() == other.byteSize();
    }

    private static void refuse(Model model, MemorySegment segment) {
        assertThat(OtherThread.thrownBy(() -> model.arena.free(segment)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
