package io.polder.bench;

import io.polder.memory.Zeroing;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Param;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Which way to clear memory is the cheapest, and from which size on?
 *
 * <p>{@code polder} is what arenas use beyond the sizes for which they write their stores out:
 * a fill of an odd number of bytes. The others are what it was chosen from: the fill of a number
 * that is a multiple of eight, the copy of the JDK, and a loop of eight-byte stores. What was
 * written to before is cleared from the end that it left in the caches, or from the front.
 *
 * <p>Run: {@code bench/run ClearingMemory}
 */
@Fork(
        value = 2,
        jvmArgsAppend = {JvmFlags.NATIVE_ACCESS, JvmFlags.UNSAFE_ACCESS})
public class ClearingMemory extends MemoryBenchmark {
    private static final long AVAILABLE_BYTES = 1 << 20;
    private static final long OS_PAGE_BYTES = 4 << 10;

    @SuppressWarnings("restricted")
    private static final MemorySegment ADDRESS_SPACE =
            MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    /** Little enough for the zeros to stay in the first-level cache. */
    private static final long COPY_BYTES = 8 << 10;

    private static final MemorySegment ZEROS = Arena.global().allocate(COPY_BYTES, OS_PAGE_BYTES);

    /** How much is cleared, in bytes. */
    @Param({
        "8", "16", "48", "64", "96", "128", "192", "500", "2000", "8000", "64000", "256000",
        "800000", "1000000"
    })
    public int size;

    private final long address = Arena.global().allocate(AVAILABLE_BYTES, OS_PAGE_BYTES).address();

    /** Creates the state of one benchmark thread. */
    public ClearingMemory() {}

    /** What arenas use, from {@link Zeroing#STORES_MAX_BYTES} on. */
    @Benchmark
    public long polder() {
        Zeroing.zero(address, size);
        return address;
    }

    /** {@link MemorySegment#fill}. */
    @Benchmark
    public long fill() {
        ADDRESS_SPACE.asSlice(address, size).fill((byte) 0);
        return address;
    }

    /** {@link MemorySegment#copyFrom} from memory that is zero. */
    @Benchmark
    public long copy() {
        for (long at = 0; at < size; at += COPY_BYTES) {
            long bytes = Math.min(COPY_BYTES, size - at);
            MemorySegment.copy(ZEROS, 0, ADDRESS_SPACE, address + at, bytes);
        }
        return address;
    }

    /** A loop of stores, rounded up to eight bytes. */
    @Benchmark
    public long stores() {
        int words = (size + Long.BYTES - 1) / Long.BYTES;
        for (int i = 0; i < words; i++) {
            ADDRESS_SPACE.set(ValueLayout.JAVA_LONG_UNALIGNED, address + (long) i * Long.BYTES, 0L);
        }
        return address;
    }

    /** What arenas use for memory that was written to. */
    @Benchmark
    public long writtenPolder() {
        write();
        Zeroing.zero(address, size, Zeroing.beginsAtEnd(address, size, true));
        return address;
    }

    /** The same from the front, in one piece. */
    @Benchmark
    public long writtenFromFront() {
        write();
        ADDRESS_SPACE.asSlice(address, size - 1L).fill((byte) 0);
        ADDRESS_SPACE.set(ValueLayout.JAVA_BYTE, address + size - 1, (byte) 0);
        return address;
    }

    private void write() {
        ADDRESS_SPACE.asSlice(address, size - 1L).fill((byte) 1);
    }
}
