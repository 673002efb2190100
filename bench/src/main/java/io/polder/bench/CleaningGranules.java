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
 * Is it cheaper to zero granules that were written, or to uncommit them, from which size on?
 *
 * <p>Each call is one life of a page: its owner writes all of it, then it is cleaned. {@code zero}
 * keeps the memory; {@code uncommit} gives it back, and the next owner's writes pay for getting it
 * anew. {@code write} is the owner's part alone, to be subtracted.
 *
 * <p>Run: {@code bench/run CleaningGranules}
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 200, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 10, time = 200, timeUnit = TimeUnit.MILLISECONDS)
@Fork(
        value = 2,
        jvmArgsAppend = {JvmFlags.NATIVE_ACCESS})
@State(Scope.Thread)
public class CleaningGranules {
    private static final long MIB = 1 << 20;

    /** The size of the page, in MiB. */
    @Param({"2", "8", "32", "128"})
    public long mib;

    /** Whether the system is asked for huge pages. */
    @Param({"false", "true"})
    public boolean huge;

    private final MemoryProvider provider = Providers.choose().provider();
    private long address;
    private MemorySegment used = MemorySegment.NULL;

    /** Creates the state of one benchmark thread. */
    public CleaningGranules() {}

    /** Reserves memory. */
    @Setup
    public void reserve() {
        address = provider.reserve(mib * MIB, MemoryProvider.REMAP_GRANULE_BYTES);
        provider.adviseHugePages(address, mib * MIB, huge);
        provider.commit(address, mib * MIB);
        used = provider.segment(address, mib * MIB);
    }

    /** Releases it. */
    @TearDown
    public void release() {
        provider.release(address, mib * MIB);
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
        Zeroing.zero(address, mib * MIB);
        return address;
    }

    /** Written, then uncommitted. */
    @Benchmark
    public long uncommit() {
        used.fill((byte) 1);
        provider.uncommit(address, mib * MIB);
        return address;
    }
}
