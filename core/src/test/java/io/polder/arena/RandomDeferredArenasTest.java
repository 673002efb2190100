package io.polder.arena;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.Paint;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Deferred arenas against a model: threads open, use and close the same few arenas at random, while
 * another one ticks. What was painted stays as it is until its scope is dead, also after the close;
 * and nobody finds anything in fresh memory.
 */
@Timeout(300)
class RandomDeferredArenasTest {
    private static final int THREADS = 4;
    private static final int PLACES = 8;
    private static final int OPERATIONS = 4000;

    private static final int OPENED = 0;
    private static final int ALLOCATED = 1;
    private static final int CHECKED = 2;
    private static final int CLOSED = 3;
    private static final int REFUSED = 4;

    @RegisterExtension final Slabs fixture = new Slabs();

    private final ArenaFactory memory = fixture.create(4096, 4);
    private final AtomicReferenceArray<Opened> places = new AtomicReferenceArray<>(PLACES);
    private final AtomicIntegerArray mix = new AtomicIntegerArray(REFUSED + 1);

    /** Some that were closed, whose memory must stay until their scope is dead. */
    private final Queue<Opened> closed = new ConcurrentLinkedQueue<>();

    private record Painted(MemorySegment segment, int seed) {}

    private record Opened(Arena arena, Queue<Painted> segments) {}

    @Test
    void run_byThreadsAtOnce_agreesWithTheModel() {
        long seed = Seed.get();
        Seed.naming(seed, () -> run(seed));
        for (int i = 0; i < PLACES; i++) {
            close(places.getAndSet(i, null));
        }
        memory.close();
        while (memory.tick()) {
            Thread.onSpinWait();
        }
        assertThat(memory.deferredGroups()).isZero();
        assertThat(Slabs.usedBytes(memory)).isZero();
        for (int operation : new int[] {OPENED, ALLOCATED, CHECKED, CLOSED}) {
            assertThat(mix.get(operation))
                    .as("opened, allocated, checked, closed, refused: %s", mix)
                    .isGreaterThan(OPERATIONS / 10);
        }
    }

    private void run(long seed) throws Exception {
        AtomicBoolean done = new AtomicBoolean();
        try (ExecutorService threads = Executors.newFixedThreadPool(THREADS + 1)) {
            List<Future<?>> users = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                SplittableRandom random = new SplittableRandom(seed + i);
                users.add(
                        threads.submit(
                                () -> {
                                    for (int n = 0; n < OPERATIONS; n++) {
                                        step(random);
                                    }
                                }));
            }
            Future<?> background =
                    threads.submit(
                            () -> {
                                while (!done.get()) {
                                    memory.tick();
                                    memory.source().space().decay();
                                    Thread.onSpinWait();
                                }
                            });
            try {
                for (Future<?> user : users) {
                    user.get();
                }
            } finally {
                done.set(true);
            }
            background.get();
        }
        memory.source().space().verifyAtRest();
    }

    private void step(SplittableRandom random) {
        int place = random.nextInt(PLACES);
        Opened opened = places.get(place);
        if (opened == null) {
            open(place);
            return;
        }
        int operation = random.nextInt(100);
        if (operation < 60) {
            allocate(opened, random);
        } else if (operation < 75) {
            check(opened);
        } else if (operation < 80) {
            Opened old = closed.poll();
            if (old != null) {
                check(old);
            }
        } else if (operation < 95) {
            close(places.compareAndSet(place, opened, null) ? opened : null);
        } else {
            close(opened); // the others keep on using it, and must be refused
            places.compareAndSet(place, opened, null);
        }
    }

    private void open(int place) {
        Opened fresh = new Opened(memory.openDeferred(), new ConcurrentLinkedQueue<>());
        mix.incrementAndGet(OPENED);
        if (!places.compareAndSet(place, null, fresh)) {
            fresh.arena().close();
        }
    }

    private void allocate(Opened in, SplittableRandom random) {
        int seed = random.nextInt(1000);
        long bytes = random.nextInt(random.nextInt(40) == 0 ? 200_000 : 300);
        try {
            MemorySegment segment = in.arena().allocate(bytes, 1L << random.nextInt(8));
            assertThat(Paint.isZero(segment)).isTrue();
            Paint.paint(segment, seed);
            in.segments().add(new Painted(segment, seed));
            mix.incrementAndGet(ALLOCATED);
        } catch (IllegalStateException refused) {
            assertThat(refused).hasMessageContaining("closed");
            mix.incrementAndGet(REFUSED);
        }
    }

    private void check(Opened in) {
        for (Painted each : in.segments()) {
            try {
                assertThat(Paint.isPainted(each.segment(), each.seed())).isTrue();
            } catch (IllegalStateException dead) {
                assertThat(each.segment().scope().isAlive()).isFalse();
                mix.incrementAndGet(REFUSED);
                return;
            }
        }
        mix.incrementAndGet(CHECKED);
    }

    private void close(@Nullable Opened last) {
        if (last == null) {
            return;
        }
        try {
            last.arena().close();
        } catch (IllegalStateException refused) {
            assertThat(refused).hasMessage("Already closed");
            mix.incrementAndGet(REFUSED);
            return;
        }
        mix.incrementAndGet(CLOSED);
        closed.add(last);
        if (closed.size() > 100) {
            closed.poll();
        }
    }
}
