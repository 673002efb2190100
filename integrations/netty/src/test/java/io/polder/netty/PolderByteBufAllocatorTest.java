package io.polder.netty;

import io.netty.buffer.AbstractByteBufAllocatorTest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.buffer.UnpooledHeapByteBuf;
import io.polder.MemoryPool;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

/** Netty's tests of an allocator, on ours. */
class PolderByteBufAllocatorTest extends AbstractByteBufAllocatorTest<PolderByteBufAllocator> {
    private final List<MemoryPool> pools = new ArrayList<>();

    @AfterEach
    void closePools() {
        for (MemoryPool pool : pools) {
            pool.close();
        }
    }

    @Override
    protected PolderByteBufAllocator newAllocator(boolean preferDirect) {
        MemoryPool pool = MemoryPool.builder().name("netty-test").build();
        pools.add(pool);
        return new PolderByteBufAllocator(
                pool, preferDirect, new UnpooledByteBufAllocator(preferDirect));
    }

    @Override
    @Test
    public void testUnsafeHeapBufferAndUnsafeDirectBuffer() {
        PolderByteBufAllocator allocator = newUnpooledAllocator();
        ByteBuf direct = allocator.directBuffer();
        assertInstanceOf(direct, PolderByteBuf.class);
        direct.release();
        ByteBuf heap = allocator.heapBuffer();
        assertInstanceOf(heap, UnpooledHeapByteBuf.class);
        heap.release();
    }

    @Override
    @Test
    @Disabled("it asks whether heap buffers are pooled; those of this test are not")
    public void shouldReuseChunks() {}

    @Override
    protected PolderByteBufAllocator newUnpooledAllocator() {
        return newAllocator(false);
    }
}
