package io.polder.arena;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.Paint;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Places at which threads open, use and close arenas at random, and what was painted in each of
 * them. A subclass says what is checked, and what a close is.
 */
abstract class ArenaPlaces {
    private static final int OPENED = 0;
    private static final int ALLOCATED = 1;
    private static final int CHECKED = 2;
    private static final int CLOSED = 3;
    private static final int REFUSED = 4;

    private final AtomicReferenceArray<@Nullable Opened> places;
    private final AtomicIntegerArray mix = new AtomicIntegerArray(REFUSED + 1);

    record Painted(MemorySegment segment, int seed) {}

    record Opened(Arena arena, Queue<Painted> segments) {}

    ArenaPlaces(int count) {
        places = new AtomicReferenceArray<>(count);
    }

    /** Opens an arena. */
    abstract Arena open();

    /** Which one is checked: one at a place, or another one whose memory must still be there. */
    Opened checked(Opened atAPlace, SplittableRandom random) {
        return atAPlace;
    }

    /** It was closed. */
    void closed(Opened last) {}

    /** It refuses, since it was closed. */
    void refused(Opened closed) {}

    /** How many bytes are allocated next. */
    abstract long size(SplittableRandom random);

    /** Opens, uses or closes an arena. */
    final void step(SplittableRandom random) {
        int place = random.nextInt(places.length());
        Opened opened = places.get(place);
        if (opened == null) {
            open(place);
            return;
        }
        int operation = random.nextInt(100);
        if (operation < 60) {
            allocate(opened, random);
        } else if (operation < 80) {
            check(checked(opened, random));
        } else if (operation < 95) {
            close(places.compareAndSet(place, opened, null) ? opened : null);
        } else {
            close(opened); // the others keep on using it, and must be refused
            places.compareAndSet(place, opened, null);
        }
    }

    private void open(int place) {
        Opened fresh = new Opened(open(), new ConcurrentLinkedQueue<>());
        mix.incrementAndGet(OPENED);
        if (!places.compareAndSet(place, null, fresh)) {
            fresh.arena().close();
        }
    }

    private void allocate(Opened in, SplittableRandom random) {
        int seed = random.nextInt(1000);
        long bytes = size(random);
        unlessClosed(
                in,
                ALLOCATED,
                () -> {
                    MemorySegment segment = in.arena().allocate(bytes, 1L << random.nextInt(8));
                    assertThat(Paint.isZero(segment)).isTrue();
                    Paint.paint(segment, seed);
                    in.segments().add(new Painted(segment, seed));
                });
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
        if (last != null && unlessClosed(last, CLOSED, last.arena()::close)) {
            closed(last);
        }
    }

    /** Somebody else may have closed the arena meanwhile; nothing else may go wrong. */
    private boolean unlessClosed(Opened in, int operation, Runnable use) {
        try {
            use.run();
            mix.incrementAndGet(operation);
            return true;
        } catch (IllegalStateException refused) {
            assertThat(refused).hasMessageContaining("closed");
            mix.incrementAndGet(REFUSED);
            refused(in);
            return false;
        }
    }

    /** Closes those that are open; each operation must have been done by then, and often. */
    final void end(int operations) {
        for (int i = 0; i < places.length(); i++) {
            close(places.getAndSet(i, null));
        }
        for (int operation : new int[] {OPENED, ALLOCATED, CHECKED, CLOSED}) {
            assertThat(mix.get(operation))
                    .as("opened, allocated, checked, closed, refused: %s", mix)
                    .isGreaterThan(operations / 10);
        }
    }
}
