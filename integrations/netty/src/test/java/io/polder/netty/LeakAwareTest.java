package io.polder.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.AbstractByteBufTest;
import io.netty.buffer.ByteBuf;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetector.Level;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Netty's tests of a buffer, on ours while Netty watches each for leaks. */
class LeakAwareTest extends AbstractByteBufTest {
    private final Level before = ResourceLeakDetector.getLevel();

    @BeforeEach
    void watchAll() {
        ResourceLeakDetector.setLevel(Level.PARANOID);
    }

    @AfterEach
    void watchAsBefore() {
        ResourceLeakDetector.setLevel(before);
    }

    @Override
    protected ByteBuf newBuffer(int length, int maxCapacity) {
        ResourceLeakDetector.setLevel(Level.PARANOID); // it is called before each test, too
        ByteBuf buffer = PolderByteBufAllocator.DEFAULT.directBuffer(length, maxCapacity);
        assertThat(buffer.getClass().getSimpleName()).isEqualTo("AdvancedLeakAwareByteBuf");
        return buffer;
    }
}
