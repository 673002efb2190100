package io.polder.bench;

import io.netty.buffer.AdaptiveByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;

import org.lwjgl.system.MemoryStack;
import org.openjdk.jmh.annotations.Benchmark;

/**
 * What does it cost to open a confined arena, allocate once and close it?
 *
 * <p>Every contender hands out zeroed memory and gives it back. LWJGL's stack checks neither bounds
 * nor lifetime; Netty's buffers check bounds and count references. Each method returns an address,
 * so that no contender has to keep an object alive that another one does not have.
 *
 * <p>Run: {@code bench/run ConfinedAllocation}
 */
public class ConfinedAllocation extends OneAllocation {
    /** LWJGL's own default alignment of {@code MemoryStack.calloc(int)}. */
    private static final int LWJGL_ALIGNMENT = 8;

    private final ByteBufAllocator nettyPooled = PooledByteBufAllocator.DEFAULT;
    private final ByteBufAllocator nettyAdaptive = new AdaptiveByteBufAllocator();

    /** Creates the state of one benchmark thread. */
    public ConfinedAllocation() {}

    /** LWJGL's thread-local stack, zeroed by LWJGL. */
    @Benchmark
    public long lwjgl() {
        try (MemoryStack stack = MemoryStack.stackPush()) {
            return stack.ncalloc(LWJGL_ALIGNMENT, 1, size);
        }
    }

    /** Netty's pooled allocator. */
    @Benchmark
    public long nettyPooled() {
        return zeroedBuffer(nettyPooled);
    }

    /** Netty's adaptive allocator, its default. */
    @Benchmark
    public long nettyAdaptive() {
        return zeroedBuffer(nettyAdaptive);
    }

    private long zeroedBuffer(ByteBufAllocator allocator) {
        ByteBuf buffer = allocator.directBuffer(size);
        try {
            buffer.setZero(0, size);
            return buffer.memoryAddress();
        } finally {
            buffer.release();
        }
    }
}
