package io.polder.bench;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Group;
import org.openjdk.jmh.annotations.GroupThreads;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Control;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Direct buffers of Netty's that one thread allocates and another one releases, as where an event
 * loop hands what it has read to another one. An operation is one buffer: as many are allocated as
 * released.
 *
 * <pre>
 *   allocates --&gt; | ring of batches, each of which is full or empty | --&gt; releases
 * </pre>
 *
 * <p>Buffers are handed over by batches. One by one, two threads that keep pace with each other
 * exchange the cache lines of the ring with each buffer, two that do not exchange few: forks then
 * differ by three times, whatever allocates.
 *
 * <p>Run: {@code bench/run CrossThreadBuffers}; with {@code -t 4} there are two such pairs.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@OperationsPerInvocation(CrossThreadBuffers.BATCH)
@Warmup(iterations = 5, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 10, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Fork(
        value = 1,
        jvmArgsAppend = {
            JvmFlags.NATIVE_ACCESS,
            JvmFlags.UNSAFE_ACCESS,
            NettyAllocators.NO_LEAK_DETECTION,
            NettyAllocators.CACHES,
            NettyAllocators.MAGAZINES,
            EventLoopThreads.EXECUTOR,
            EventLoopThreads.CLASS
        })
@State(Scope.Group)
public class CrossThreadBuffers {
    static final int BATCH = 64;

    private static final int BATCHES = 16;

    /** The distance of two that different threads write, in ints: two cache lines. */
    private static final int APART = 32;

    private static final int EMPTY = 0;
    private static final int FULL = 1;

    /** Then the other thread has no processor, or is far behind. A guess. */
    private static final int SPINS = 100;

    /** Who allocates. */
    @Param({"polder", "adaptive", "pooled", "unpooled"})
    public String allocator = "polder";

    /** The capacity of a buffer. */
    @Param({"256", "4096", "65536"})
    public int bytes = 256;

    private final ByteBuf[][] batches = new ByteBuf[BATCHES][BATCH];
    private final AtomicIntegerArray states = new AtomicIntegerArray((BATCHES + 1) * APART);
    private final int[] counts = new int[3 * APART];
    private ByteBufAllocator chosen = UnpooledByteBufAllocator.DEFAULT;

    /** Creates the state of a pair of threads. */
    public CrossThreadBuffers() {}

    /** Chooses an allocator. */
    @Setup(Level.Trial)
    public void choose() {
        chosen = NettyAllocators.named(allocator);
    }

    /** Releases what was left in the ring. */
    @TearDown(Level.Trial)
    public void releaseAll() {
        for (int at = 0; at < BATCHES; at++) {
            if (states.getAndSet((at + 1) * APART, EMPTY) == FULL) {
                releaseAll(batches[at]);
            }
        }
    }

    /** Allocates a batch of buffers, and hands it over. */
    @Benchmark
    @Group("handedOver")
    @GroupThreads(1)
    public void allocate(Control control) {
        int at = counts[0] & (BATCHES - 1);
        if (isAwaited(at, EMPTY, control)) {
            ByteBuf[] batch = batches[at];
            for (int i = 0; i < BATCH; i++) {
                ByteBuf buffer = chosen.directBuffer(bytes);
                buffer.setByte(0, bytes);
                batch[i] = buffer;
            }
            counts[0]++;
            states.setRelease((at + 1) * APART, FULL);
        }
    }

    /** Takes a batch, and releases its buffers. */
    @Benchmark
    @Group("handedOver")
    @GroupThreads(1)
    public void release(Control control) {
        int at = counts[2 * APART] & (BATCHES - 1);
        if (isAwaited(at, FULL, control)) {
            releaseAll(batches[at]);
            counts[2 * APART]++;
            states.setRelease((at + 1) * APART, EMPTY);
        }
    }

    private static void releaseAll(ByteBuf[] batch) {
        for (ByteBuf buffer : batch) {
            buffer.release();
        }
    }

    @SuppressWarnings("ThreadPriorityCheck") // only while there is nothing to do
    private boolean isAwaited(int at, int state, Control control) {
        for (int spins = 0; states.getAcquire((at + 1) * APART) != state; spins++) {
            if (control.stopMeasurement) {
                return false;
            }
            if (spins < SPINS) {
                Thread.onSpinWait();
            } else {
                Thread.yield();
            }
        }
        return true;
    }
}
