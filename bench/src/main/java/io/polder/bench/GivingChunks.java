package io.polder.bench;

import io.polder.memory.MemoryProvider;
import io.polder.memory.Providers;
import io.polder.memory.Zeroing;

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

import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;

/**
 * Is it cheaper to uncommit what an owner has used than to zero it, and from which size on?
 *
 * <p>Each call is one life of a chunk: an owner writes all of it, then it is cleared. {@code zero}
 * keeps the memory; {@code uncommit} gives it back, and the next owner's writes pay for getting it
 * anew. {@code write} is the owner's part alone, to be subtracted.
 *
 * <p>Run: {@code bench/run GivingChunks}
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 200, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 10, time = 200, timeUnit = TimeUnit.MILLISECONDS)
@Fork(
        value = 2,
        jvmArgsAppend = {JvmFlags.NATIVE_ACCESS})
@State(Scope.Thread)
public class GivingChunks {
    private static final long RESERVED_BYTES = 4 << 20;

    /** How much the owner has used, in bytes. */
    @Param({"4096", "16384", "65536", "131072", "262144", "524288", "1048576", "4194304"})
    public long size;

    private final MemoryProvider provider = Providers.choose().provider();
    private long address;
    private MemorySegment used = MemorySegment.NULL;

    /** Creates the state of one benchmark thread. */
    public GivingChunks() {}

    /** Reserves memory in OS pages, as chunks have it. */
    @Setup
    public void reserve() {
        address = provider.reserve(RESERVED_BYTES, RESERVED_BYTES);
        provider.adviseHugePages(address, RESERVED_BYTES, false);
        provider.commit(address, RESERVED_BYTES);
        used = provider.segment(address, size);
    }

    /** Releases it. */
    @TearDown
    public void release() {
        provider.release(address, RESERVED_BYTES);
    }

    /** The owner's part. */
    @Benchmark
    public long write() {
        used.fill((byte) 1);
        return address;
    }

    /** Written, then zeroed. */
    @Benchmark
    public long zero() {
        used.fill((byte) 1);
        Zeroing.zero(address, size);
        return address;
    }

    /** Written, then uncommitted. */
    @Benchmark
    public long uncommit() {
        used.fill((byte) 1);
        provider.uncommit(address, size);
        return address;
    }
}
