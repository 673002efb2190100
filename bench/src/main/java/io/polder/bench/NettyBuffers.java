package io.polder.bench;

import io.netty.buffer.AdaptiveByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.polder.netty.PolderByteBufAllocator;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * A direct buffer of Netty's, allocated, written, read and released in one thread; and buffers of
 * random sizes of which some live at a time. See {@link CrossThreadBuffers} for those that another
 * thread releases.
 *
 * <p>Run: {@code bench/run NettyBuffers}
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 10, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Fork(
        value = 1,
        jvmArgsAppend = {
            JvmFlags.NATIVE_ACCESS,
            JvmFlags.UNSAFE_ACCESS,
            "-Dio.netty.leakDetection.level=disabled",
            // Threads of JMH have the caches that Netty's event loops have.
            "-Dio.netty.allocator.useCacheForAllThreads=true",
            "-Dio.netty.allocator.useCachedMagazinesForNonEventLoopThreads=true"
        })
@State(Scope.Thread)
public class NettyBuffers {
    /** So many buffers of random sizes live at a time. */
    private static final int LIVE = 256;

    private static final int SIZES = 4096;
    private static final int SMALLEST = 64;
    private static final int LARGEST = 64 << 10;
    private static final int STRIDE = 31;

    /** Who allocates. */
    @Param({"polder", "adaptive", "pooled", "unpooled"})
    public String allocator = "polder";

    /** The capacity of a buffer; of all but those of random sizes. */
    @Param({"64", "256", "4096", "65536", "1048576"})
    public int bytes = SMALLEST;

    private final ByteBuf[] live = new ByteBuf[LIVE];
    private final int[] sizes = new int[SIZES];
    private ByteBufAllocator chosen = UnpooledByteBufAllocator.DEFAULT;
    private int turn;

    /** Creates the state of one benchmark thread. */
    public NettyBuffers() {}

    /** Chooses an allocator, and allocates what lives at first. */
    @Setup(Level.Trial)
    public void choose() {
        chosen =
                switch (allocator) {
                    case "polder" -> PolderByteBufAllocator.DEFAULT;
                    case "adaptive" -> new AdaptiveByteBufAllocator(true);
                    case "pooled" -> new PooledByteBufAllocator(true);
                    default -> UnpooledByteBufAllocator.DEFAULT;
                };
        Random random = new Random(Integer.getInteger("polder.bench.seed", 1));
        double range = Math.log((double) LARGEST / SMALLEST);
        for (int i = 0; i < SIZES; i++) {
            sizes[i] = (int) (SMALLEST * Math.exp(random.nextDouble() * range));
        }
        for (int i = 0; i < LIVE; i++) {
            live[i] = chosen.directBuffer(sizes[i]);
        }
    }

    /** Releases what still lives. */
    @TearDown(Level.Trial)
    public void releaseAll() {
        for (ByteBuf buffer : live) {
            buffer.release();
        }
    }

    /** One buffer at a time. */
    @Benchmark
    public int one() {
        ByteBuf buffer = chosen.directBuffer(bytes);
        buffer.setByte(0, bytes);
        int read = buffer.getByte(0);
        buffer.release();
        return read;
    }

    /** Many at a time, of random sizes; with one value of {@code bytes} only. */
    @Benchmark
    public int mixed() {
        int next = turn++;
        int place = (next * STRIDE) & (LIVE - 1);
        live[place].release();
        ByteBuf buffer = chosen.directBuffer(sizes[next & (SIZES - 1)]);
        buffer.setByte(0, next);
        live[place] = buffer;
        return buffer.capacity();
    }
}
