package io.polder.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.netty.buffer.AbstractByteBufTest;
import io.netty.buffer.ByteBuf;

import org.junit.jupiter.api.Test;

/** Netty's tests of a buffer, on ours. */
class PolderByteBufTest extends AbstractByteBufTest {
    @Override
    protected ByteBuf newBuffer(int length, int maxCapacity) {
        ByteBuf buffer = PolderByteBufAllocator.DEFAULT.directBuffer(length, maxCapacity);
        assertThat(buffer.writerIndex()).isZero();
        assertThat(buffer.isDirect()).isTrue();
        return buffer;
    }

    /** Netty's pooled buffers override it, too: more than the capacity may be written fast. */
    @Override
    @Test
    public void testMaxFastWritableBytes() {
        ByteBuf buffer = newBuffer(150, 500).writerIndex(100);
        assertThat(buffer.writableBytes()).isEqualTo(50);
        assertThat(buffer.maxFastWritableBytes()).isEqualTo(160 - 100);
        buffer.release();
    }

    /** A buffer of the JDK has eight bytes less at most. */
    @Test
    void internalNioBuffer_partOfTheLargestBuffer_isThatPart() {
        ByteBuf largest = newBuffer(Integer.MAX_VALUE, Integer.MAX_VALUE);
        try {
            largest.setInt(Integer.MAX_VALUE - 4, 42);
            assertThat(largest.internalNioBuffer(Integer.MAX_VALUE - 4, 4).getInt()).isEqualTo(42);
            assertThat(largest.nioBuffer(Integer.MAX_VALUE - 4, 4).getInt()).isEqualTo(42);
            assertThatExceptionOfType(IndexOutOfBoundsException.class)
                    .isThrownBy(() -> largest.getInt(Integer.MAX_VALUE - 3));
        } finally {
            largest.release();
        }
    }
}
