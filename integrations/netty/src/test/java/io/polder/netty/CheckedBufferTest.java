package io.polder.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.netty.buffer.ByteBuf;
import io.polder.BlockAllocator;
import io.polder.MemoryPool;

import org.junit.jupiter.api.Test;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;

/** Buffers in blocks that are checked. */
class CheckedBufferTest {
    private static void write(long address) {
        NativeBytes.MEMORY.set(ValueLayout.JAVA_BYTE, address, (byte) 1);
    }

    private static MemoryPool limited() {
        return MemoryPool.builder()
                .name("checked")
                .checkBlocks(true)
                .committedMaxBytes(8 << 20)
                .decay(Duration.ofHours(1)) // so that no tick finds what was written
                .build();
    }

    /** Netty releases it once, and takes it for released. */
    @Test
    void release_thatTellsOfMisuse_freesTheBlock() {
        MemoryPool pool = limited();
        PolderByteBufAllocator allocator = new PolderByteBufAllocator(pool);
        ByteBuf late = allocator.directBuffer(64);
        ByteBuf buffer = allocator.directBuffer(1000);
        long freed = late.memoryAddress();
        assertThat(late.release()).isTrue();
        write(freed);
        write(buffer.memoryAddress() + 1000);
        pool.trim();
        assertThatIllegalStateException()
                .isThrownBy(buffer::release)
                .withMessageContaining("after it was freed: address=0x" + Long.toHexString(freed))
                .satisfies(
                        told ->
                                assertThat(told.getSuppressed())
                                        .singleElement()
                                        .asString()
                                        .contains("behind the end of a block"));
        assertThat(pool.stats().blocks().usedCount()).isZero();
        pool.close();
    }

    /** The next who allocates or frees was to be told of misuse, and here that is who gives up. */
    @Test
    void newDirectBuffer_refusedByNetty_freesTheBlockAndTellsOfMisuse() {
        MemoryPool pool = limited();
        BlockAllocator blocks = pool.blocks();
        MemorySegment late = blocks.allocate(100, 8);
        MemorySegment large = blocks.allocate(5 << 20, 8);
        blocks.free(late);
        blocks.free(large);
        write(late.address());
        PolderByteBufAllocator allocator = new PolderByteBufAllocator(pool);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> allocator.newDirectBuffer(6 << 20, -1))
                .withMessageContaining("maxCapacity")
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
