package io.polder.bench;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * A buffer, allocated, written, read and released in one thread; and buffers of random sizes of
 * which some live at a time. Subclasses say whose buffers.
 *
 * @param <B> a buffer
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 10, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@State(Scope.Thread)
public abstract class BufferTurnover<B> {
    static final int SMALLEST = 64;
    static final int LARGEST = 64 << 10;

    /** So many buffers of random sizes live at a time. */
    private static final int LIVE = 256;

    private static final int SIZES = 4096;
    private static final int STRIDE = 31;

    private final List<B> live = new ArrayList<>(LIVE);
    private final int[] sizes = new int[SIZES];
    private int turn;

    /** Creates the state of one benchmark thread. */
    BufferTurnover() {}

    /** Chooses who allocates. */
    abstract void choose();

    /** The size of a buffer of {@link #one}. */
    abstract int sizeBytes();

    abstract B allocate(int bytes);

    abstract void release(B buffer);

    abstract void set(B buffer, int value);

    abstract int get(B buffer);

    /** Allocates what lives at first. */
    @Setup(Level.Trial)
    public void begin() {
        choose();
        Random random = new Random(Integer.getInteger("polder.bench.seed", 1));
        double range = Math.log((double) LARGEST / SMALLEST);
        for (int i = 0; i < SIZES; i++) {
            sizes[i] = (int) (SMALLEST * Math.exp(random.nextDouble() * range));
        }
        for (int i = 0; i < LIVE; i++) {
            live.add(allocate(sizes[i]));
        }
    }

    /** Releases what still lives. */
    @TearDown(Level.Trial)
    public void end() {
        live.forEach(this::release);
        live.clear();
        ended();
    }

    /** All buffers are released. */
    void ended() {}

    /** One buffer at a time. */
    @Benchmark
    public int one() {
        int bytes = sizeBytes();
        B buffer = allocate(bytes);
        set(buffer, bytes);
        int read = get(buffer);
        release(buffer);
        return read;
    }

    /** Many at a time, of random sizes; with one value of {@code bytes} only. */
    @Benchmark
    public int mixed() {
        int next = turn++;
        int place = (next * STRIDE) & (LIVE - 1);
        release(live.get(place));
        int bytes = sizes[next & (SIZES - 1)];
        B buffer = allocate(bytes);
        set(buffer, next);
        live.set(place, buffer);
        return bytes;
    }
}
