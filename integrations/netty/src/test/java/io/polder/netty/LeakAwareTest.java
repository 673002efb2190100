package io.polder.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.AbstractByteBufTest;
import io.netty.buffer.ByteBuf;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetector.Level;

import org.junit.jupiter.api.Test;

/** Netty's tests of a buffer, on ours while Netty watches each for leaks. */
class LeakAwareTest extends AbstractByteBufTest {
    @Override
    protected ByteBuf newBuffer(int length, int maxCapacity) {
        ResourceLeakDetector.setLevel(Level.PARANOID); // and it stays: tests run side by side
        ByteBuf buffer = PolderByteBufAllocator.DEFAULT.directBuffer(length, maxCapacity);
        assertThat(buffer.getClass().getSimpleName()).isEqualTo("AdvancedLeakAwareByteBuf");
        return buffer;
    }

    @Override
    @Test
    public void testMaxFastWritableBytes() {
        ByteBuf buffer = newBuffer(150, 500).writerIndex(100);
        assertThat(buffer.maxFastWritableBytes()).isEqualTo(160 - 100);
        buffer.release();
    }
}
