package io.polder.bench;

import io.polder.memory.MemoryProvider;
import io.polder.memory.Providers;
import io.polder.memory.Zeroing;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.TearDown;

import java.lang.foreign.MemorySegment;

/**
 * Lives of some memory: its owner writes all of it, then it is cleaned. {@code zero} keeps the
 * memory; {@code uncommit} gives it back, and the next owner's writes pay for getting it anew.
 * {@code write} is the owner's part alone, to be subtracted. Subclasses say what memory.
 */
public abstract class LivesOfMemory extends MemoryBenchmark {
    private final MemoryProvider provider = Providers.choose().provider();
    private long address;
    private long reservedBytes;
    private MemorySegment used = MemorySegment.NULL;

    /** Creates the state of one benchmark thread. */
    LivesOfMemory() {}

    /** Reserves memory, of which the owner uses the first bytes. */
    final void reserve(long bytes, long alignment, boolean huge, long usedBytes) {
        address = provider.reserve(bytes, alignment);
        reservedBytes = bytes;
        provider.adviseHugePages(address, bytes, huge);
        provider.commit(address, bytes);
        used = Zeroing.ADDRESS_SPACE.asSlice(address, usedBytes);
    }

    /** Releases it. */
    @TearDown
    public void release() {
        provider.release(address, reservedBytes);
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
        Zeroing.zero(address, used.byteSize());
        return address;
    }

    /** Written, then uncommitted. */
    @Benchmark
    public long uncommit() {
        used.fill((byte) 1);
        provider.uncommit(address, used.byteSize());
        return address;
    }
}
