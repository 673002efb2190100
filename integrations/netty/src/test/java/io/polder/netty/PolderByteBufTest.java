package io.polder.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.AbstractByteBufTest;
import io.netty.buffer.ByteBuf;

/** Netty's tests of a buffer, on ours. */
class PolderByteBufTest extends AbstractByteBufTest {
    @Override
    protected ByteBuf newBuffer(int length, int maxCapacity) {
        ByteBuf buffer = PolderByteBufAllocator.DEFAULT.directBuffer(length, maxCapacity);
        assertThat(buffer.writerIndex()).isZero();
        assertThat(buffer.isDirect()).isTrue();
        return buffer;
    }
}
