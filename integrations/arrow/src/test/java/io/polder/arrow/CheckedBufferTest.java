package io.polder.arrow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

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

    /** Arrow releases it once, and takes it for released. */
    @Test
    void release_thatTellsOfMisuse_freesTheBlock() {
        MemoryPool pool =
                MemoryPool.builder()
                        .name("checked")
                        .checkBlocks(true)
                        .decay(Duration.ofHours(1)) // so that no tick finds what was written
                        .build();
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
}
