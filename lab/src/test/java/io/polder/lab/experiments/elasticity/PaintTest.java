package io.polder.lab.experiments.elasticity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

class PaintTest {
    private static final int OWNERS = 3 * Paint.SAMPLED;

    private final Paint paint = new Paint(OWNERS);

    @Test
    void write_coversTheWholeBlockAndNoMore() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment block = arena.allocate(64, 8);

            paint.write(Paint.SAMPLED, block.address() + 8, 48);

            for (int i = 0; i < 64; i++) {
                boolean inside = i >= 8 && i < 56;
                assertThat(block.get(ValueLayout.JAVA_BYTE, i) != 0).isEqualTo(inside);
            }
            assertThat(paint.verify()).isEqualTo(48);
        }
    }

    @Test
    void verify_seesAByteThatChanged() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment block = arena.allocate(24, 8);
            paint.write(0, block.address(), 24);
            byte old = block.get(ValueLayout.JAVA_BYTE, 23);
            block.set(ValueLayout.JAVA_BYTE, 23, (byte) (old + 1));

            assertThatThrownBy(paint::verify)
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("a block keeps what was written: owner=0")
                    .hasMessageContaining("offset=23");
        }
    }

    @Test
    void verify_seesAnotherOwnerInTheSamePlace() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment block = arena.allocate(24, 8);
            paint.write(0, block.address(), 24);
            paint.write(1, block.address(), 8);

            assertThatThrownBy(paint::verify).isInstanceOf(AssertionError.class);
        }
    }

    @Test
    void verify_readsTheSampledOwnersThatLive() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment block = arena.allocate(8L * OWNERS, 8);
            for (int owner = 0; owner < OWNERS; owner++) {
                paint.write(owner, block.address() + 8L * owner, 8);
            }
            assertThat(paint.verify()).isEqualTo(3 * 8);

            paint.forget(Paint.SAMPLED);
            assertThat(paint.verify()).isEqualTo(2 * 8);
        }
    }
}
