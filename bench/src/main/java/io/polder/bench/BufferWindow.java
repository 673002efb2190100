package io.polder.bench;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;

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

import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * Thousands of direct buffers of Netty's, of which one after the other, at random, is released and
 * replaced by a new one; nothing is written to them. Netty's own {@code ByteBufAllocatorBenchmark}
 * does so. Unlike {@link NettyBuffers}, it misses the caches of the processor.
 *
 * <p>Run: {@code bench/run BufferWindow}
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 10, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Fork(
        value = 1,
        jvmArgsAppend = {
            JvmFlags.NATIVE_ACCESS,
            NettyAllocators.NO_LEAK_DETECTION,
            EventLoopThreads.EXECUTOR,
            EventLoopThreads.CLASS
        })
@State(Scope.Thread)
public class BufferWindow {
    private static final int LIVE = 8192;
    private static final int TURNS = 1 << 17;

    /** Most sizes of a web-socket proxy, as a table of Netty's has them: bytes, and how often. */
    private static final int[][] PROXY = {
        {15, 11}, {256, 23}, {512, 2}, {612, 4}, {636, 18}, {1024, 31}, {2048, 3}, {4351, 1}
    };

    /** Who allocates. */
    @Param({"polder", "adaptive", "pooled"})
    public String allocator = "polder";

    /** The capacity of a buffer; 0 for the mix of a web-socket proxy. */
    @Param({"256", "1024", "4096", "0"})
    public int bytes = 256;

    private final ByteBuf[] live = new ByteBuf[LIVE];
    private final short[] places = new short[TURNS];
    private final short[] sizes = new short[TURNS];
    private int turn;
    private ByteBufAllocator chosen = UnpooledByteBufAllocator.DEFAULT;

    /** Creates the state of one benchmark thread. */
    public BufferWindow() {}

    /** Allocates what lives at first. */
    @Setup(Level.Trial)
    public void begin() {
        chosen = NettyAllocators.named(allocator);
        SplittableRandom random = new SplittableRandom(Integer.getInteger("polder.bench.seed", 1));
        for (int i = 0; i < TURNS; i++) {
            places[i] = (short) random.nextInt(LIVE);
            sizes[i] = (short) (bytes > 0 ? bytes : proxySize(random));
        }
        for (int i = 0; i < LIVE; i++) {
            live[i] = chosen.directBuffer(sizes[i]);
        }
    }

    private static int proxySize(SplittableRandom random) {
        int all = 0;
        for (int[] size : PROXY) {
            all += size[1];
        }
        int at = random.nextInt(all);
        int found = 0;
        while (at >= PROXY[found][1]) {
            at -= PROXY[found][1];
            found++;
        }
        return PROXY[found][0];
    }

    /** Releases what still lives. */
    @TearDown(Level.Trial)
    public void end() {
        for (ByteBuf buffer : live) {
            buffer.release();
        }
    }

    /** Releases one, and allocates another one in its place. */
    @Benchmark
    public void replace() {
        int next = turn++ & (TURNS - 1);
        int place = places[next];
        live[place].release();
        live[place] = chosen.directBuffer(sizes[next]);
    }
}
