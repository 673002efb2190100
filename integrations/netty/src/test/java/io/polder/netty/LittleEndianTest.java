package io.polder.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.AbstractByteBufTest;
import io.netty.buffer.ByteBuf;

import org.junit.jupiter.api.Test;

import java.nio.ByteOrder;

/** Netty's tests of a buffer, on ours in the other byte order. */
class LittleEndianTest extends AbstractByteBufTest {
    @Override
    @SuppressWarnings("deprecation") // Netty tests it
    protected ByteBuf newBuffer(int length, int maxCapacity) {
        return PolderByteBufAllocator.DEFAULT
                .directBuffer(length, maxCapacity)
                .order(ByteOrder.LITTLE_ENDIAN);
    }

    @Override
    @Test
    public void testMaxFastWritableBytes() {
        ByteBuf buffer = newBuffer(150, 500).writerIndex(100);
        assertThat(buffer.maxFastWritableBytes()).isEqualTo(160 - 100);
        buffer.release();
    }
}
