package io.polder.bench;

import io.polder.BlockAllocator;
import io.polder.MemoryPool;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Group;
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

import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * What does it cost to allocate a block and to free it, against malloc?
 *
 * <p>{@code single} allocates and frees at once. {@code pair} frees one of a thousand blocks,
 * picked at random, and allocates another one of 8 to 1000 bytes. {@code remote} is two threads:
 * one allocates, the other one frees. Nothing is written. Malloc is called as critical downcalls.
 *
 * <p>Run: {@code bench/run BlockAllocation}, and with {@code -t 2}; {@code ./polder lab blocks} has
 * more contenders and workloads.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Fork(value = 2, jvmArgsAppend = JvmFlags.NATIVE_ACCESS)
public class BlockAllocation {
    private static final int LIVE = 1000;
    private static final int BYTES = 64;

    /** A power of two: random numbers are repeated, and cost nothing. */
    private static final int NUMBERS = 1 << 14;

    /** Blocks on their way from one thread to the other; a power of two. */
    private static final int ON_THE_WAY = 1 << 10;

    /** Creates the benchmark. */
    public BlockAllocation() {}

    /** Who hands out blocks. */
    public enum Contender {
        /** Polder, on the common pool. */
        POLDER,
        /** The C library's malloc. */
        MALLOC
    }

    /** A contender; what it is does not change. */
    @State(Scope.Benchmark)
    public static class Source {
        /** Who it is. */
        @Param public Contender contender = Contender.POLDER;

        private final BlockAllocator blocks = MemoryPool.common().blocks();
        private boolean polder;

        /** Creates the state of all threads. */
        public Source() {}

        /** Decides. */
        @Setup
        public void choose() {
            polder = contender == Contender.POLDER;
        }

        long allocate(long bytes) {
            return polder ? blocks.allocateAddress(bytes) : CallocArena.malloc(bytes);
        }

        void free(long address) {
            if (polder) {
                blocks.freeAddress(address);
            } else {
                CallocArena.free(address);
            }
        }
    }

    /** What a thread has. */
    @State(Scope.Thread)
    public static class Working {
        private final long[] addresses = new long[LIVE];
        private final int[] slots = new int[NUMBERS];
        private final int[] sizes = new int[NUMBERS];
        private int next;

        /** Creates the state of a thread. */
        public Working() {}

        /** Allocates what lives. */
        @Setup
        public void allocate(Source source) {
            SplittableRandom random = new SplittableRandom(1);
            for (int i = 0; i < NUMBERS; i++) {
                slots[i] = random.nextInt(LIVE);
                sizes[i] = 8 + random.nextInt(993);
            }
            for (int i = 0; i < LIVE; i++) {
                addresses[i] = source.allocate(sizes[i]);
            }
        }

        /** Frees it. */
        @TearDown
        public void free(Source source) {
            for (long address : addresses) {
                source.free(address);
            }
        }
    }

    /** Blocks on their way: a ring in which 0 is free. */
    @State(Scope.Group)
    public static class Ring {
        private final AtomicLongArray blocks = new AtomicLongArray(ON_THE_WAY);
        private int in;
        private int out;

        /** Creates the state of two threads. */
        public Ring() {}

        /** Frees what nobody took. */
        @TearDown
        public void free(Source source) {
            for (int i = 0; i < ON_THE_WAY; i++) {
                long address = blocks.getAndSet(i, 0);
                if (address != 0) {
                    source.free(address);
                }
            }
            in = 0;
            out = 0;
        }
    }

    /** A block of one size, over and over. */
    @Benchmark
    public long single(Source source) {
        long address = source.allocate(BYTES);
        source.free(address);
        return address;
    }

    /** One of a thousand is replaced. */
    @Benchmark
    public long pair(Source source, Working working) {
        int i = working.next++ & (NUMBERS - 1);
        int slot = working.slots[i];
        source.free(working.addresses[slot]);
        long address = source.allocate(working.sizes[i]);
        working.addresses[slot] = address;
        return address;
    }

    /** Allocates for the other thread. */
    @Benchmark
    @Group("remote")
    public long remoteAllocate(Source source, Ring ring, Control control) {
        int slot = ring.in++ & (ON_THE_WAY - 1);
        while (ring.blocks.getAcquire(slot) != 0) {
            if (control.stopMeasurement) {
                ring.in--;
                return 0;
            }
            Thread.onSpinWait();
        }
        long address = source.allocate(BYTES);
        ring.blocks.setRelease(slot, address);
        return address;
    }

    /** Frees what the other thread allocated. */
    @Benchmark
    @Group("remote")
    public long remoteFree(Source source, Ring ring, Control control) {
        int slot = ring.out++ & (ON_THE_WAY - 1);
        long address = ring.blocks.getAcquire(slot);
        while (address == 0) {
            if (control.stopMeasurement) {
                ring.out--;
                return 0;
            }
            Thread.onSpinWait();
            address = ring.blocks.getAcquire(slot);
        }
        ring.blocks.setRelease(slot, 0);
        source.free(address);
        return address;
    }
}
