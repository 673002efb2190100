package io.polder.arena;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.Paint;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Shared arenas against a model: threads open, use and close the same few arenas at random. What
 * one painted, all find, as long as the arena is open; and nobody finds anything in fresh memory.
 */
class RandomSharedArenasTest {
    private static final int THREADS = 4;
    private static final int PLACES = 6;
    private static final int OPERATIONS = 1500;

    private static final int OPENED = 0;
    private static final int ALLOCATED = 1;
    private static final int CHECKED = 2;
    private static final int CLOSED = 3;
    private static final int REFUSED = 4;

    @RegisterExtension final Slabs fixture = new Slabs();

    private final AtomicReferenceArray<Opened> places = new AtomicReferenceArray<>(PLACES);
    private final AtomicIntegerArray mix = new AtomicIntegerArray(REFUSED + 1);

    private record Painted(MemorySegment segment, int seed) {}

    private record Opened(Arena arena, Queue<Painted> segments) {}

    @ParameterizedTest
    @EnumSource(GrowthPolicy.class)
    void run_byThreadsAtOnce_agreesWithTheModel(GrowthPolicy policy) {
        long seed = Seed.get();
        ArenaFactory memory = fixture.create(policy, 4096, 4);
        Seed.naming(seed, () -> run(memory, seed));
        for (int i = 0; i < PLACES; i++) {
            close(places.getAndSet(i, null));
        }
        for (int operation : new int[] {OPENED, ALLOCATED, CHECKED, CLOSED}) {
            assertThat(mix.get(operation))
                    .describedAs("opened, allocated, checked, closed, refused: %s", mix)
                    .isGreaterThan(OPERATIONS / 10);
        }
    }

    private void run(ArenaFactory memory, long seed) throws Exception {
        try (ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
            List<Future<?>> futures = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                SplittableRandom random = new SplittableRandom(seed + i);
                futures.add(
                        threads.submit(
                                () -> {
                                    for (int n = 0; n < OPERATIONS; n++) {
                                        step(memory, random);
                                    }
                                }));
            }
            for (Future<?> future : futures) {
                future.get();
            }
        }
        memory.source().space().verifyAtRest();
    }

    private void step(ArenaFactory memory, SplittableRandom random) {
        int place = random.nextInt(PLACES);
        Opened opened = places.get(place);
        if (opened == null) {
            open(memory, place);
            return;
        }
        int operation = random.nextInt(100);
        if (operation < 60) {
            allocate(opened, random);
        } else if (operation < 80) {
            check(opened);
        } else if (operation < 95) {
            close(places.compareAndSet(place, opened, null) ? opened : null);
        } else {
            close(opened); // the others keep on using it, and must be refused
            places.compareAndSet(place, opened, null);
        }
    }

    private void open(ArenaFactory memory, int place) {
        Opened fresh = new Opened(memory.openShared(), new ConcurrentLinkedQueue<>());
        mix.incrementAndGet(OPENED);
        if (!places.compareAndSet(place, null, fresh)) {
            fresh.arena().close();
        }
    }

    private void allocate(Opened in, SplittableRandom random) {
        int seed = random.nextInt(1000);
        unlessClosed(
                in,
                () -> {
                    MemorySegment segment =
                            in.arena().allocate(random.nextInt(60), 1L << random.nextInt(8));
                    assertThat(Paint.isZero(segment)).isTrue();
                    Paint.paint(segment, seed);
                    in.segments().add(new Painted(segment, seed));
                    mix.incrementAndGet(ALLOCATED);
                });
    }

    private void check(Opened in) {
        unlessClosed(
                in,
                () -> {
                    for (Painted each : in.segments()) {
                        assertThat(Paint.isPainted(each.segment(), each.seed())).isTrue();
                    }
                    mix.incrementAndGet(CHECKED);
                });
    }

    private void close(@Nullable Opened last) {
        if (last != null) {
            unlessClosed(
                    last,
                    () -> {
                        last.arena().close();
                        mix.incrementAndGet(CLOSED);
                    });
        }
    }

    /** Somebody else may have closed the arena meanwhile; nothing else may go wrong. */
    private void unlessClosed(Opened in, Runnable use) {
        try {
            use.run();
        } catch (IllegalStateException refused) {
            assertThat(refused).hasMessageContaining("closed");
            assertThat(in.arena().scope().isAlive()).isFalse();
            mix.incrementAndGet(REFUSED);
        }
    }
}
