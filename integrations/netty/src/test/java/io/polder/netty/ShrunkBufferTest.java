package io.polder.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is left of slices when the buffer that they are of has shrunk. */
class ShrunkBufferTest {
    private static final int LENGTH = 8192;

    private final PolderByteBufAllocator allocator = PolderByteBufAllocator.DEFAULT;
    private final ByteBuf frame = allocator.directBuffer(8 * LENGTH);
    private final ByteBuf part = frame.slice(1024, LENGTH);
    private final ByteBuf other = allocator.directBuffer(LENGTH).writeZero(LENGTH);
    private final ByteBuf netty = UnpooledByteBufAllocator.DEFAULT.directBuffer(LENGTH);

    ShrunkBufferTest() {
        frame.capacity(1024 + 64);
    }

    @AfterEach
    void release() {
        frame.release();
        other.release();
        netty.release();
    }

    private static void refused(ThrowingCallable access) {
        assertThatThrownBy(access).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void oneValue_behindTheCapacity_isRefused() {
        refused(() -> part.getByte(64));
        refused(() -> part.getShort(63));
        refused(() -> part.getShortLE(63));
        refused(() -> part.getMedium(62));
        refused(() -> part.getMediumLE(62));
        refused(() -> part.getInt(61));
        refused(() -> part.getIntLE(61));
        refused(() -> part.getLong(57));
        refused(() -> part.getLongLE(57));
        refused(() -> part.setByte(64, 1));
        refused(() -> part.setShort(63, 1));
        refused(() -> part.setShortLE(63, 1));
        refused(() -> part.setMedium(62, 1));
        refused(() -> part.setMediumLE(62, 1));
        refused(() -> part.setInt(61, 1));
        refused(() -> part.setIntLE(61, 1));
        refused(() -> part.setLong(57, 1));
        refused(() -> part.setLongLE(57, 1));
    }

    @Test
    void oneValue_withinTheCapacity_isThere() {
        part.setLong(56, 0x0123456789abcdefL);
        part.setMedium(53, 0x123456);

        assertThat(frame.getLong(1024 + 56)).isEqualTo(0x0123456789abcdefL);
        assertThat(part.getMedium(53)).isEqualTo(0x123456);
        assertThat(part.getByte(63)).isEqualTo((byte) 0xef);
    }

    @Test
    void manyBytes_behindTheCapacity_areRefused() {
        refused(() -> other.getBytes(0, part, 0, 65));
        refused(() -> other.setBytes(0, part, 0, 65));
        refused(() -> other.getBytes(0, part, 64, 1));
        refused(() -> part.getBytes(0, other, 0, 65));
        refused(() -> part.setBytes(0, other, 0, 65));
        refused(() -> part.getBytes(0, netty, 0, 65));
        refused(() -> part.setBytes(0, netty, 0, 65));
        refused(() -> part.setZero(0, 65));
        refused(() -> part.copy(0, 65));
        refused(() -> part.nioBuffer(0, 65));
        assertThat(other.getByte(64)).isZero();
    }

    @Test
    void manyBytes_withinTheCapacity_areCopied() {
        part.setZero(0, 64).setByte(63, 7);

        other.setBytes(1, part, 0, 64);
        other.getBytes(1, part, 1, 62);

        assertThat(other.getByte(64)).isEqualTo((byte) 7);
        assertThat(part.getByte(63)).isEqualTo((byte) 7);
        assertThat(part.getByte(62)).isZero();
    }

    @Test
    void manyBytes_ofACompositeWithSuchASlice_areRefused() {
        ByteBuf large = allocator.directBuffer(2 * LENGTH).writeZero(2 * LENGTH);
        CompositeByteBuf one =
                Unpooled.compositeBuffer(1).addComponent(true, large.slice(0, LENGTH));
        try {
            large.capacity(64);
            refused(() -> other.getBytes(0, one, 0, 65));
            refused(() -> other.setBytes(0, one, 0, 65));
        } finally {
            one.release();
        }
    }

    @Test
    void manyBytes_ofASliceOfNettys_areCopied() {
        netty.writeZero(LENGTH).setByte(100, 9);

        other.setBytes(0, netty.slice(100, 10), 0, 10);
        other.getBytes(0, netty.slice(0, 10), 9, 1);

        assertThat(other.getByte(0)).isEqualTo((byte) 9);
        assertThat(netty.getByte(9)).isEqualTo((byte) 9);
    }
}
