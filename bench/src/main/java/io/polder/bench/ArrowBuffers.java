package io.polder.bench;

import io.polder.arrow.PolderAllocationManager;

import org.apache.arrow.memory.AllocationManager;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.memory.netty.NettyAllocationManager;
import org.apache.arrow.memory.unsafe.UnsafeAllocationManager;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Param;

/**
 * Buffers of Arrow's that one thread allocates and releases. {@code none} is what Arrow itself
 * takes for that: its manager hands out the same memory each time.
 *
 * <p>Run: {@code bench/run ArrowBuffers}
 */
@Fork(
        value = 1,
        jvmArgsAppend = {
            JvmFlags.NATIVE_ACCESS,
            JvmFlags.UNSAFE_ACCESS,
            NettyAllocators.NO_LEAK_DETECTION
        })
public class ArrowBuffers extends BufferTurnover<ArrowBuf> {
    /** Who has the memory. */
    @Param({"polder", "netty", "unsafe", "none"})
    public String manager = "polder";

    /** The size of a buffer; of all but those of random sizes. */
    @Param({"64", "256", "1024", "4096", "16384", "65536"})
    public int bytes = SMALLEST;

    private BufferAllocator chosen = new RootAllocator();

    /** Creates the state of one benchmark thread. */
    public ArrowBuffers() {}

    @Override
    void choose() {
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
    }

    @Override
    void ended() {
        chosen.close();
    }

    @Override
    int sizeBytes() {
        return bytes;
    }

    @Override
    ArrowBuf allocate(int size) {
        return chosen.buffer(size);
    }

    @Override
    void release(ArrowBuf buffer) {
        buffer.close();
    }

    @Override
    void set(ArrowBuf buffer, int value) {
        buffer.setByte(0, value);
    }

    @Override
    int get(ArrowBuf buffer) {
        return buffer.getByte(0);
    }

    /** What allocates nothing: all buffers have the same bytes. */
    private static final class SameMemory implements AllocationManager.Factory {
        private final AllocationManager.Factory polder = PolderAllocationManager.FACTORY;
        private final long address;

        SameMemory(long bytes) {
            address = PolderAllocationManager.pool().blocks().allocateAddress(bytes);
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
