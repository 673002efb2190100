package io.polder.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.netty.buffer.ByteBuf;
import io.polder.MemoryPool;

import org.junit.jupiter.api.Test;

import java.lang.foreign.ValueLayout;
import java.time.Duration;

/** Buffers in blocks that are checked. */
class CheckedBufferTest {
    private static void write(long address) {
        NativeBytes.MEMORY.set(ValueLayout.JAVA_BYTE, address, (byte) 1);
    }

    /** Netty releases it once, and takes it for released. */
    @Test
    void release_thatTellsOfMisuse_freesTheBlock() {
        MemoryPool pool =
                MemoryPool.builder()
                        .name("checked")
                        .checkBlocks(true)
                        .decay(Duration.ofHours(1)) // so that no tick finds what was written
                        .build();
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
}
