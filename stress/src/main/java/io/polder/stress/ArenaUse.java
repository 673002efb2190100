package io.polder.stress;

import io.polder.MemoryPool;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;

/**
 * What each thread of a soak does with arenas: mostly one allocation that is written full, and by
 * its number now and then something else.
 *
 * <p>Counts what was done, because a soak in which nobody nests or throws would show nothing.
 */
final class ArenaUse {
    private static final int[] SIZES = {5, 20, 100, 500, 2_000, 8_000};
    private static final int TWO_SLABS = 20_000;

    private static final int THROWS_EVERY = 16;
    private static final int NESTS_EVERY = 32;
    private static final int OUTGROWS_EVERY = 64;
    private static final int YIELDS_EVERY = 8;
    private static final int PARKS_EVERY = 64;

    private static final byte INK = (byte) 0xA5;
    private static final long PARK_NANOS = 2_000_000;

    /** What {@link #wasVaried} asks of each use; a warm-up alone comes to more. */
    private static final int TIMES_MIN = 100;

    final LongAdder ran = new LongAdder();
    final LongAdder threw = new LongAdder();
    final LongAdder nested = new LongAdder();
    final LongAdder outgrew = new LongAdder();
    final LongAdder waited = new LongAdder();
    private final int leakEvery;

    /**
     * A way to use arenas.
     *
     * @param leakEvery one in this many threads never closes its arena, to show that a leak is
     *     found; 0 for none
     */
    ArenaUse(int leakEvery) {
        this.leakEvery = leakEvery;
    }

    /** The life of thread {@code number}. */
    void run(int number) {
        ran.increment();
        if (leakEvery > 0 && number % leakEvery == 0) {
            write(MemoryPool.ofConfined(), SIZES[0]);
            return;
        }
        try (Arena arena = MemoryPool.ofConfined()) {
            write(arena, SIZES[number % SIZES.length]);
            if (number % NESTS_EVERY == 1) {
                nest(3);
                nested.increment();
            }
            if (number % OUTGROWS_EVERY == 2) {
                write(arena, TWO_SLABS);
                outgrew.increment();
            }
            letOthersRun(number);
            write(arena, 1);
            if (number % THROWS_EVERY == 3) {
                threw.increment();
                throw new Failures.OnPurpose();
            }
        }
    }

    /** Waits with the arena open; a virtual thread may come back on another carrier. */
    @SuppressWarnings("ThreadPriorityCheck") // to be moved about is the purpose
    private void letOthersRun(int number) {
        if (number % PARKS_EVERY == 4) {
            LockSupport.parkNanos(PARK_NANOS);
            waited.increment();
        } else if (number % YIELDS_EVERY == 4) {
            Thread.yield();
            waited.increment();
        }
    }

    private static void nest(int depth) {
        if (depth > 0) {
            try (Arena arena = MemoryPool.ofConfined()) {
                write(arena, SIZES[depth]);
                nest(depth - 1);
            }
        }
    }

    /** Allocates, checks that both ends read as zero, and writes every byte. */
    private static void write(Arena arena, long bytes) {
        MemorySegment segment = arena.allocate(bytes);
        if ((segment.get(ValueLayout.JAVA_BYTE, 0) | segment.get(ValueLayout.JAVA_BYTE, bytes - 1))
                != 0) {
            throw new AssertionError("memory must read as zero: " + segment);
        }
        segment.fill(INK);
    }

    /** Whether each kind of use was made often enough to show anything. */
    boolean wasVaried() {
        return LongStream.of(threw.sum(), nested.sum(), outgrew.sum(), waited.sum())
                .allMatch(times -> times >= TIMES_MIN);
    }
}
