package io.polder.bench;

import io.polder.arrow.PolderAllocationManager;

import org.apache.arrow.memory.AllocationManager;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.memory.netty.NettyAllocationManager;
import org.apache.arrow.memory.unsafe.UnsafeAllocationManager;
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
 * A buffer of Arrow's, allocated, written, read and released in one thread; and buffers of random
 * sizes of which some live at a time. {@code none} is what Arrow itself takes for that: its manager
 * hands out the same memory each time.
 *
 * <p>Run: {@code bench/run ArrowBuffers}
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
            "-Dio.netty.leakDetection.level=disabled"
        })
@State(Scope.Thread)
public class ArrowBuffers {
    /** So many buffers of random sizes live at a time. */
    private static final int LIVE = 256;

    private static final int SIZES = 4096;
    private static final int SMALLEST = 64;
    private static final int LARGEST = 64 << 10;
    private static final int STRIDE = 31;

    /** Who has the memory. */
    @Param({"polder", "netty", "unsafe", "none"})
    public String manager = "polder";

    /** The size of a buffer; of all but those of random sizes. */
    @Param({"64", "256", "1024", "4096", "16384", "65536"})
    public int bytes = SMALLEST;

    private final ArrowBuf[] live = new ArrowBuf[LIVE];
    private final int[] sizes = new int[SIZES];
    private BufferAllocator chosen = new RootAllocator();
    private int turn;

    /** Creates the state of one benchmark thread. */
    public ArrowBuffers() {}

    /** Chooses a manager, and allocates what lives at first. */
    @Setup(Level.Trial)
    public void choose() {
        AllocationManager.Factory factory =
                switch (manager) {
                    case "polder" -> PolderAllocationManager.FACTORY;
                    case "netty" -> NettyAllocationManager.FACTORY;
                    case "unsafe" -> UnsafeAllocationManager.FACTORY;
                    default -> new SameMemory(LARGEST);
                };
        chosen =
                new RootAllocator(
                        RootAllocator.configBuilder().allocationManagerFactory(factory).build());
        Random random = new Random(Integer.getInteger("polder.bench.seed", 1));
        double range = Math.log((double) LARGEST / SMALLEST);
        for (int i = 0; i < SIZES; i++) {
            sizes[i] = (int) (SMALLEST * Math.exp(random.nextDouble() * range));
        }
        for (int i = 0; i < LIVE; i++) {
            live[i] = chosen.buffer(sizes[i]);
        }
    }

    /** Releases what still lives. */
    @TearDown(Level.Trial)
    public void releaseAll() {
        for (ArrowBuf buffer : live) {
            buffer.close();
        }
        chosen.close();
    }

    /** One buffer at a time. */
    @Benchmark
    public int one() {
        ArrowBuf buffer = chosen.buffer(bytes);
        buffer.setByte(0, bytes);
        int read = buffer.getByte(0);
        buffer.close();
        return read;
    }

    /** Many at a time, of random sizes; with one value of {@code bytes} only. */
    @Benchmark
    public long mixed() {
        int next = turn++;
        int place = (next * STRIDE) & (LIVE - 1);
        live[place].close();
        ArrowBuf buffer = chosen.buffer(sizes[next & (SIZES - 1)]);
        buffer.setByte(0, next);
        live[place] = buffer;
        return buffer.capacity();
    }

    /** What allocates nothing: all buffers have the same bytes. */
    private static final class SameMemory implements AllocationManager.Factory {
        private final AllocationManager.Factory polder = PolderAllocationManager.FACTORY;
        private final long address;

        SameMemory(long bytes) {
            address = PolderAllocationManager.pool().blocks().allocate(bytes);
        }

        @Override
        public AllocationManager create(BufferAllocator accounting, long size) {
            return new AllocationManager(accounting) {
                @Override
                public long getSize() {
                    return size;
                }

                @Override
                protected long memoryAddress() {
                    return address;
                }

                @Override
                protected void release0() {}
            };
        }

        @Override
        public ArrowBuf empty() {
            return polder.empty();
        }
    }
}
