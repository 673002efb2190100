package io.polder.bench;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.polder.MemoryPool;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Setup;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.util.Random;

/**
 * How much faster does a program become that calls C functions, when only its arenas change?
 *
 * <p>Each call opens a confined arena for its arguments and closes it, as programs on jextract's
 * bindings do. The mix makes each of the four calls once: {@code strlen} of a class name of the
 * running JDK, {@code clock_gettime} into a struct, {@code qsort} of a small array with a Java
 * comparator, {@code getenv} with its result read as a string. One operation is the whole mix.
 *
 * <p>The contenders share no code that allocates, so that neither is compiled for the other's
 * arena.
 *
 * <p>Run: {@code bench/run ForeignCalls}
 */
public class ForeignCalls extends ArenaBenchmark {
    /** Seed of the names and numbers. */
    public static final String SEED_PROPERTY = "polder.bench.seed";

    /** A power of two, so that walking the names in a circle costs one mask. */
    private static final int NAMES = 4096;

    /** Ints to sort: a row of a table, not a data set. */
    private static final int INTS = 5;

    /** The longest name of a class, and more. */
    private static final int NO_ARENA_BYTES = 1 << 16;

    private static final String VARIABLE = "HOME";

    /** Gives out the same bytes again and again: one allocation is in use at a time. */
    private static final SegmentAllocator NO_ARENA =
            SegmentAllocator.prefixAllocator(Arena.global().allocate(NO_ARENA_BYTES, Long.BYTES));

    private String[] names = {};
    private int[] numbers = {};
    private int next;

    /** Read once per JVM: walking the image takes longer than measuring one batch of calls. */
    private static final class Inputs {
        static final long SEED = Long.getLong(SEED_PROPERTY, 1);
        static final String[] NAMES_OF_CLASSES = ClassNames.sample(NAMES, SEED);
        static final int[] NUMBERS = new Random(SEED).ints(INTS).toArray();
    }

    /** Creates the state of one benchmark thread. */
    public ForeignCalls() {}

    /** Takes the names of the running JDK's classes and the numbers to sort. */
    @Setup
    public void prepare() {
        names = Inputs.NAMES_OF_CLASSES;
        numbers = Inputs.NUMBERS;
    }

    /** All four calls, each in a confined arena of Polder. */
    @Benchmark
    public long polderMix() {
        return polderStrlen() ^ polderClock() ^ polderSort() ^ polderGetenv();
    }

    /** All four calls, each in a confined arena of the JDK. */
    @Benchmark
    public long jdkMix() {
        return jdkStrlen() ^ jdkClock() ^ jdkSort() ^ jdkGetenv();
    }

    /** All four calls, in memory that is there anyway: what arenas would be that cost nothing. */
    @Benchmark
    public long noneMix() {
        long length = LibC.strlen(NO_ARENA.allocateFrom(nextName()));
        long time = LibC.clockGettime(NO_ARENA.allocate(LibC.TIMESPEC));
        MemorySegment ints = NO_ARENA.allocateFrom(JAVA_INT, numbers);
        LibC.qsort(ints, INTS);
        return length
                ^ time
                ^ ints.get(JAVA_INT, 0)
                ^ LibC.getenv(NO_ARENA.allocateFrom(VARIABLE)).length();
    }

    /** {@code strlen} in a confined arena of Polder. */
    @Benchmark
    public long polderStrlen() {
        try (Arena arena = MemoryPool.ofConfined()) {
            return LibC.strlen(arena.allocateFrom(nextName()));
        }
    }

    /** {@code strlen} in a confined arena of the JDK. */
    @Benchmark
    public long jdkStrlen() {
        try (Arena arena = Arena.ofConfined()) {
            return LibC.strlen(arena.allocateFrom(nextName()));
        }
    }

    /** {@code clock_gettime} in a confined arena of Polder. */
    @Benchmark
    public long polderClock() {
        try (Arena arena = MemoryPool.ofConfined()) {
            return LibC.clockGettime(arena.allocate(LibC.TIMESPEC));
        }
    }

    /** {@code clock_gettime} in a confined arena of the JDK. */
    @Benchmark
    public long jdkClock() {
        try (Arena arena = Arena.ofConfined()) {
            return LibC.clockGettime(arena.allocate(LibC.TIMESPEC));
        }
    }

    /** {@code qsort} in a confined arena of Polder. */
    @Benchmark
    public int polderSort() {
        try (Arena arena = MemoryPool.ofConfined()) {
            MemorySegment ints = arena.allocateFrom(JAVA_INT, numbers);
            LibC.qsort(ints, INTS);
            return ints.get(JAVA_INT, 0);
        }
    }

    /** {@code qsort} in a confined arena of the JDK. */
    @Benchmark
    public int jdkSort() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment ints = arena.allocateFrom(JAVA_INT, numbers);
            LibC.qsort(ints, INTS);
            return ints.get(JAVA_INT, 0);
        }
    }

    /** {@code getenv} in a confined arena of Polder. */
    @Benchmark
    public int polderGetenv() {
        try (Arena arena = MemoryPool.ofConfined()) {
            return LibC.getenv(arena.allocateFrom(VARIABLE)).length();
        }
    }

    /** {@code getenv} in a confined arena of the JDK. */
    @Benchmark
    public int jdkGetenv() {
        try (Arena arena = Arena.ofConfined()) {
            return LibC.getenv(arena.allocateFrom(VARIABLE)).length();
        }
    }

    private String nextName() {
        next = (next + 1) & (NAMES - 1);
        return names[next];
    }
}
