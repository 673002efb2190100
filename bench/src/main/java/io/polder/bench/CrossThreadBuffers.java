package io.polder.bench;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;

import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Group;
import org.openjdk.jmh.annotations.GroupThreads;
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
import org.openjdk.jmh.infra.Control;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Direct buffers of Netty's that one thread allocates and another one releases, as where an event
 * loop hands them to another one. An operation is one buffer: as many are allocated as released.
 *
 * <pre>
 *   allocates --&gt; | ring of places, in which each waits for the other | --&gt; releases
 * </pre>
 *
 * <p>Run: {@code bench/run CrossThreadBuffers}; with {@code -t 4} there are two such pairs.
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
            NettyAllocators.NO_LEAK_DETECTION,
            NettyAllocators.CACHES,
            NettyAllocators.MAGAZINES,
            EventLoopThreads.EXECUTOR,
            EventLoopThreads.CLASS
        })
@State(Scope.Group)
public class CrossThreadBuffers {
    private static final int PLACES = 1024;

    /** Where each of the two threads has its counter, on lines of their own. */
    private static final int ALLOCATED = 32;

    private static final int RELEASED = 64;

    /** Then the other thread has no processor, or is far behind. A guess. */
    private static final int SPINS = 100;

    /** Who allocates. */
    @Param({"polder", "adaptive", "pooled", "unpooled"})
    public String allocator = "polder";

    /** The capacity of a buffer. */
    @Param({"256", "4096", "65536"})
    public int bytes = 256;

    private final AtomicReferenceArray<@Nullable ByteBuf> ring = new AtomicReferenceArray<>(PLACES);
    private final int[] counts = new int[96];
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
        for (int i = 0; i < PLACES; i++) {
            ByteBuf left = ring.getAndSet(i, null);
            if (left != null) {
                left.release();
            }
        }
    }

    /** Allocates a buffer, and hands it over. */
    @Benchmark
    @Group("handedOver")
    @GroupThreads(1)
    public void allocate(Control control) {
        ByteBuf buffer = chosen.directBuffer(bytes);
        buffer.setByte(0, bytes);
        int at = counts[ALLOCATED] & (PLACES - 1);
        for (int spins = 0; ring.getAcquire(at) != null; spins++) {
            if (control.stopMeasurement) {
                buffer.release();
                return;
            }
            pause(spins);
        }
        counts[ALLOCATED]++;
        ring.setRelease(at, buffer);
    }

    /** Takes a buffer, and releases it. */
    @Benchmark
    @Group("handedOver")
    @GroupThreads(1)
    public void release(Control control) {
        int at = counts[RELEASED] & (PLACES - 1);
        ByteBuf buffer = ring.getAcquire(at);
        for (int spins = 0; buffer == null; spins++) {
            if (control.stopMeasurement) {
                return;
            }
            pause(spins);
            buffer = ring.getAcquire(at);
        }
        counts[RELEASED]++;
        ring.setRelease(at, null);
        buffer.release();
    }

    @SuppressWarnings("ThreadPriorityCheck") // only while there is nothing to do
    private static void pause(int spins) {
        if (spins < SPINS) {
            Thread.onSpinWait();
        } else {
            Thread.yield();
        }
    }
}
