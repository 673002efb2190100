package io.polder.bench;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;

import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Param;

/**
 * Direct buffers of Netty's that one thread allocates and releases. See {@link CrossThreadBuffers}
 * for those that another thread releases.
 *
 * <p>Run: {@code bench/run NettyBuffers}
 */
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
public class NettyBuffers extends BufferTurnover<ByteBuf> {
    /** Who allocates. */
    @Param({"polder", "adaptive", "pooled", "unpooled"})
    public String allocator = "polder";

    /** The capacity of a buffer; of all but those of random sizes. */
    @Param({"64", "256", "4096", "65536", "1048576"})
    public int bytes = SMALLEST;

    private ByteBufAllocator chosen = UnpooledByteBufAllocator.DEFAULT;

    /** Creates the state of one benchmark thread. */
    public NettyBuffers() {}

    @Override
    void choose() {
        chosen = NettyAllocators.named(allocator);
    }

    @Override
    int sizeBytes() {
        return bytes;
    }

    @Override
    ByteBuf allocate(int capacity) {
        return chosen.directBuffer(capacity);
    }

    @Override
    void release(ByteBuf buffer) {
        buffer.release();
    }

    @Override
    void set(ByteBuf buffer, int value) {
        buffer.setByte(0, value);
    }

    @Override
    int get(ByteBuf buffer) {
        return buffer.getByte(0);
    }
}
