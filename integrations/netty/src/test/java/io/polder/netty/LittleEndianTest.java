package io.polder.netty;

import io.netty.buffer.AbstractByteBufTest;
import io.netty.buffer.ByteBuf;

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
}
