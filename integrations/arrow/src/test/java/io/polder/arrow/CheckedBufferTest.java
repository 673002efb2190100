package io.polder.arrow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.polder.BlockAllocator;
import io.polder.MemoryPool;

import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.junit.jupiter.api.Test;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;

/** Buffers in blocks that are checked. */
class CheckedBufferTest {
    @SuppressWarnings("restricted")
    private static void write(long address) {
        MemorySegment.ofAddress(address).reinterpret(1).set(ValueLayout.JAVA_BYTE, 0, (byte) 1);
    }

    private static MemoryPool limited() {
        return MemoryPool.builder()
                .name("checked")
                .checkBlocks(true)
                .committedMaxBytes(8 << 20)
                .decay(Duration.ofHours(1)) // so that no tick finds what was written
                .build();
    }

    /** Arrow releases it once, and takes it for released. */
    @Test
    void release_thatTellsOfMisuse_freesTheBlock() {
        MemoryPool pool = limited();
        BufferAllocator allocator = PoolAllocator.of(pool);
        ArrowBuf late = allocator.buffer(64);
        ArrowBuf buffer = allocator.buffer(1024);
        late.close();
        write(late.memoryAddress());
        write(buffer.memoryAddress() + 1024);
        pool.trim();
        assertThatIllegalStateException()
                .isThrownBy(buffer::close)
                .withMessageContaining(
                        "after it was freed: address=0x" + Long.toHexString(late.memoryAddress()))
                .satisfies(
                        told ->
                                assertThat(told.getSuppressed())
                                        .singleElement()
                                        .asString()
                                        .contains("behind the end of a block"));
        PoolAllocator.close(allocator, pool);
    }

    /** The next who allocates or frees was to be told of misuse, and here that is who gives up. */
    @Test
    void create_refusedByArrow_freesTheBlockAndTellsOfMisuse() {
        MemoryPool pool = limited();
        BlockAllocator blocks = pool.blocks();
        MemorySegment late = blocks.allocate(100, 8);
        MemorySegment large = blocks.allocate(5 << 20, 8);
        blocks.free(late);
        blocks.free(large);
        write(late.address());
        BufferAllocator closed = PoolAllocator.of(pool);
        closed.close();
        assertThatIllegalStateException()
                .isThrownBy(() -> PolderAllocationManager.factory(pool).create(closed, 6 << 20))
                .satisfies(
                        refused ->
                                assertThat(refused.getSuppressed())
                                        .singleElement()
                                        .asString()
                                        .contains("after it was freed"));
        assertThat(pool.stats().blocks().usedCount()).isZero();
        pool.close();
    }
}
