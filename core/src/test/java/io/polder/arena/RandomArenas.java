package io.polder.arena;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.Mix;
import io.polder.Paint;
import io.polder.chunk.SpaceCheck;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.function.Supplier;

/**
 * Random operations on several confined arenas of one thread, compared with a model: each arena
 * open has the segments it handed out, and each of those holds the pattern that was painted on it.
 */
final class RandomArenas {
    /** What is done, and how often in a hundred. */
    enum Operation {
        OPEN(14),
        ALLOCATE(45),
        CHECK(10),
        CLOSE(14),
        WRONG_THREAD(4),
        USE_CLOSED(8),
        BAD_ARGUMENT(5);

        private final int weight;

        Operation(int weight) {
            this.weight = weight;
        }
    }

    /** Deeper than any cache of a thread in these tests. */
    private static final int OPEN_MAX = 24;

    private static final int TRIM_EVERY = 200;

    private final Supplier<Arena> open;
    private final ArenaFactory memory;
    private final long slabBytes;
    private final SplittableRandom random;
    private final ExecutorService stranger;
    private final List<Opened> opened = new ArrayList<>();
    private final List<Opened> closed = new ArrayList<>();
    private final Mix<Operation> mix;
    private int painted;

    private record Painted(MemorySegment segment, int seed) {}

    private record Opened(Arena arena, List<Painted> segments) {}

    /**
     * A model without arenas.
     *
     * @param memory where the arenas come from
     * @param seed of all that is random
     * @param stranger a thread that owns none of the arenas
     */
    RandomArenas(ArenaFactory memory, long seed, ExecutorService stranger) {
        this.open = memory::openConfined;
        this.memory = memory;
        this.slabBytes = memory.source().slabBytes();
        this.random = new SplittableRandom(seed);
        this.mix = new Mix<>(Operation.class, operation -> operation.weight, random);
        this.stranger = stranger;
    }

    /** Does so many operations, closes what is open, and checks that each kind was among them. */
    void run(int operations) throws Exception {
        for (int i = 0; i < operations; i++) {
            step(mix.draw());
            if (i % TRIM_EVERY == 0) {
                trim();
            }
        }
        while (!opened.isEmpty()) {
            close();
        }
        verify();
        mix.verify(operations);
    }

    /** Gives back what is free, so that chunks without memory are met as well. */
    private void trim() {
        verify();
        memory.trim();
        memory.source().space.trim();
        verify();
    }

    private void verify() {
        SpaceCheck.verify(memory.source().space);
        for (Opened each : opened) {
            ArenaChunks chunks = (ArenaChunks) SlabAudit.fieldOrNull(each.arena(), "chunks");
            if (chunks != null) {
                ArenaCheck.verify(chunks);
            }
        }
    }

    private void step(Operation wanted) throws Exception {
        Operation operation = wanted;
        if (opened.isEmpty() || (operation == Operation.USE_CLOSED && closed.isEmpty())) {
            operation = Operation.OPEN;
        } else if (operation == Operation.OPEN && opened.size() == OPEN_MAX) {
            operation = Operation.CLOSE;
        }
        mix.did(operation);
        switch (operation) {
            case OPEN -> opened.add(new Opened(open.get(), new ArrayList<>()));
            case ALLOCATE -> allocate(any(opened));
            case CHECK -> check(any(opened));
            case CLOSE -> close();
            case WRONG_THREAD -> pokeFromOutside(any(opened));
            case USE_CLOSED -> useClosed(any(closed));
            case BAD_ARGUMENT -> passBadArguments(any(opened).arena());
        }
    }

    private void allocate(Opened in) {
        long size = size();
        long alignment = 1L << random.nextInt(random.nextInt(8) == 0 ? 14 : 7);
        MemorySegment segment = in.arena().allocate(size, alignment);
        assertThat(segment.byteSize()).isEqualTo(size);
        assertThat(segment.address() & (alignment - 1)).isZero();
        assertThat(segment.scope()).isEqualTo(in.arena().scope());
        assertThat(Paint.isZero(segment)).isTrue();
        Paint.paint(segment, painted);
        in.segments().add(new Painted(segment, painted));
        painted++;
    }

    /** Mostly small; at times about as large as a slab, or larger. */
    private long size() {
        return switch (random.nextInt(12)) {
            case 0 -> 0;
            case 1 -> Math.clamp(slabBytes + random.nextInt(-17, 18), 0, 20_000);
            case 2 -> random.nextInt(3000);
            default -> random.nextInt(80);
        };
    }

    private void check(Opened in) {
        for (Painted each : in.segments()) {
            assertThat(Paint.isPainted(each.segment(), each.seed()))
                    .describedAs("segment %s, seed %d", each.segment(), each.seed())
                    .isTrue();
        }
    }

    private void close() {
        Opened last = opened.remove(random.nextInt(opened.size()));
        check(last);
        last.arena().close();
        closed.add(last);
        if (closed.size() > OPEN_MAX) {
            closed.removeFirst();
        }
    }

    private void pokeFromOutside(Opened in) throws Exception {
        stranger.submit(
                        () -> {
                            assertThrown(in.arena()::close, WrongThreadException.class);
                            assertThrown(() -> in.arena().allocate(8), WrongThreadException.class);
                            for (Painted each : in.segments()) {
                                assertThrown(
                                        () -> each.segment().fill((byte) 0),
                                        WrongThreadException.class);
                            }
                        })
                .get();
        check(in);
    }

    private static void useClosed(Opened dead) {
        assertThrown(dead.arena()::close, IllegalStateException.class);
        assertThrown(() -> dead.arena().allocate(8), IllegalStateException.class);
        for (Painted each : dead.segments()) {
            if (each.segment().byteSize() > 0) {
                assertThrown(
                        () -> each.segment().set(ValueLayout.JAVA_BYTE, 0, (byte) 0),
                        IllegalStateException.class);
            }
        }
    }

    private void passBadArguments(Arena arena) {
        assertThrown(() -> arena.allocate(-1 - random.nextLong(1L << 50)), IAE);
        assertThrown(() -> arena.allocate(8, 3L << random.nextInt(60)), IAE);
        assertThrown(() -> arena.allocate(Long.MAX_VALUE), OutOfMemoryError.class);
    }

    private static final Class<? extends Throwable> IAE = IllegalArgumentException.class;

    private static void assertThrown(ThrowingCallable call, Class<? extends Throwable> type) {
        assertThat(OtherThread.thrownBy(call)).isInstanceOf(type);
    }

    private Opened any(List<Opened> list) {
        return list.get(random.nextInt(list.size()));
    }
}
