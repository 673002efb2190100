package io.polder.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.polder.MemoryPool;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Heap buffers: they are those that the program would have without Polder. */
class HeapBuffersTest {
    private final MemoryPool pool = MemoryPool.builder().name("heap-buffers").build();

    @AfterEach
    void close() {
        pool.close();
    }

    @Test
    void heapBuffer_always_isOfTheClassThatNettysDefaultHas() {
        ByteBuf theirs = ByteBufAllocator.DEFAULT.heapBuffer(5000);
        for (boolean preferDirect : new boolean[] {true, false}) {
            PolderByteBufAllocator allocator = new PolderByteBufAllocator(pool, preferDirect);
            ByteBuf ours = allocator.heapBuffer(5000);
            assertThat(ours.hasArray()).isTrue();
            assertThat(ours.unwrap() == null ? ours.getClass() : ours.unwrap().getClass())
                    .isEqualTo(
                            theirs.unwrap() == null
                                    ? theirs.getClass()
                                    : theirs.unwrap().getClass());
            assertThat(allocator.metric().usedHeapMemory()).isGreaterThanOrEqualTo(5000);
            ours.release();
        }
        theirs.release();
    }

    @Test
    void heapBuffer_ofAGivenAllocator_comesFromThere() {
        PooledByteBufAllocator given = new PooledByteBufAllocator(true);
        PolderByteBufAllocator allocator = new PolderByteBufAllocator(pool, false, given);
        ByteBuf buffer = allocator.buffer(5000);
        assertThat(buffer.hasArray()).isTrue();
        assertThat(buffer.alloc()).isSameAs(given);
        assertThat(given.metric().usedHeapMemory()).isPositive();
        assertThat(allocator.metric().usedHeapMemory()).isEqualTo(given.metric().usedHeapMemory());
        ByteBuf direct = allocator.directBuffer(100);
        assertThat(direct.unwrap() == null ? direct : direct.unwrap()) // Netty watches one in 128
                .isInstanceOf(PolderByteBuf.class);
        direct.release();
        buffer.release();
    }
}
