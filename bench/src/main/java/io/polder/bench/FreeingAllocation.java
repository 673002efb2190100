package io.polder.bench;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.polder.FreeingArena;
import io.polder.MemoryPool;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * What does it cost to free a segment and to have its memory back, in an arena that stays open?
 *
 * <p>{@code pair...} allocates and frees at once. {@code churn...} replaces one of a thousand
 * segments, picked at random, by one of another size: up to twice {@code size}, 1 at least. Each
 * segment is written to once. {@code malloc} is not cleared and {@code calloc} is; both are called
 * as critical downcalls. {@code fresh} opens an arena of the pool for each segment, {@code jdk} one
 * of the JDK's; those are what confined memory that dies early costs without a freeing arena.
 *
 * <p>Run: {@code bench/run FreeingAllocation}
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Fork(
        value = 2,
        jvmArgsAppend = {JvmFlags.NATIVE_ACCESS})
@State(Scope.Thread)
@SuppressWarnings("restricted")
public class FreeingAllocation {
    private static final int LIVE = 1000;

    /** A power of two: random numbers are repeated, and cost nothing. */
    private static final int NUMBERS = 1 << 14;

    /** Bytes: of a pair exactly, of the churn on average. */
    @Param({"16", "100", "1000", "8000"})
    public int size;

    private final int[] sizes = new int[NUMBERS];
    private final int[] places = new int[NUMBERS];
    private int at;

    private final FreeingArena arena = MemoryPool.common().openFreeing();
    private final MemorySegment[] freed = new MemorySegment[LIVE];
    private final MemorySegment[] cleared = new MemorySegment[LIVE];
    private final MemorySegment[] uncleared = new MemorySegment[LIVE];

    /** Creates the state of one benchmark thread. */
    public FreeingAllocation() {}

    /** Allocates the segments that are live. */
    @Setup
    public void prepare() {
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < NUMBERS; i++) {
            sizes[i] = 1 + random.nextInt(2 * size);
            places[i] = random.nextInt(LIVE);
        }
        for (int i = 0; i < LIVE; i++) {
            freed[i] = arena.allocate(sizes[i], 1);
            cleared[i] = calloc(sizes[i]);
            uncleared[i] = malloc(sizes[i]);
        }
    }

    /** Frees them. */
    @TearDown
    public void close() {
        arena.close();
        for (int i = 0; i < LIVE; i++) {
            free(cleared[i]);
            free(uncleared[i]);
        }
    }

    /** A freeing arena. */
    @Benchmark
    public long pairFreeing() {
        MemorySegment segment = arena.allocate(size, 1);
        segment.set(JAVA_BYTE, 0, (byte) 1);
        arena.free(segment);
        return segment.address();
    }

    /** The C library. */
    @Benchmark
    public long pairMalloc() {
        MemorySegment segment = malloc(size);
        segment.set(JAVA_BYTE, 0, (byte) 1);
        free(segment);
        return segment.address();
    }

    /** The C library, zeroed. */
    @Benchmark
    public long pairCalloc() {
        MemorySegment segment = calloc(size);
        segment.set(JAVA_BYTE, 0, (byte) 1);
        free(segment);
        return segment.address();
    }

    /** An arena of the pool for one segment. */
    @Benchmark
    public long pairFresh() {
        try (Arena fresh = MemoryPool.ofConfined()) {
            MemorySegment segment = fresh.allocate(size, 1);
            segment.set(JAVA_BYTE, 0, (byte) 1);
            return segment.address();
        }
    }

    /** An arena of the JDK for one segment. */
    @Benchmark
    public long pairJdk() {
        try (Arena fresh = Arena.ofConfined()) {
            MemorySegment segment = fresh.allocate(size, 1);
            segment.set(JAVA_BYTE, 0, (byte) 1);
            return segment.address();
        }
    }

    /** A freeing arena. */
    @Benchmark
    public long churnFreeing() {
        int i = at++ & (NUMBERS - 1);
        int place = places[i];
        arena.free(freed[place]);
        MemorySegment segment = arena.allocate(sizes[i], 1);
        segment.set(JAVA_BYTE, 0, (byte) 1);
        freed[place] = segment;
        return segment.address();
    }

    /** The C library. */
    @Benchmark
    public long churnMalloc() {
        int i = at++ & (NUMBERS - 1);
        int place = places[i];
        free(uncleared[place]);
        MemorySegment segment = malloc(sizes[i]);
        segment.set(JAVA_BYTE, 0, (byte) 1);
        uncleared[place] = segment;
        return segment.address();
    }

    /** The C library, zeroed. */
    @Benchmark
    public long churnCalloc() {
        int i = at++ & (NUMBERS - 1);
        int place = places[i];
        free(cleared[place]);
        MemorySegment segment = calloc(sizes[i]);
        segment.set(JAVA_BYTE, 0, (byte) 1);
        cleared[place] = segment;
        return segment.address();
    }

    private static MemorySegment malloc(long bytes) {
        return MemorySegment.ofAddress(CallocArena.malloc(bytes)).reinterpret(bytes);
    }

    private static MemorySegment calloc(long bytes) {
        return MemorySegment.ofAddress(CallocArena.calloc(bytes)).reinterpret(bytes);
    }

    private static void free(MemorySegment segment) {
        CallocArena.free(segment.address());
    }
}
