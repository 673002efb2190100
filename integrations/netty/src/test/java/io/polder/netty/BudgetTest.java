package io.polder.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.netty.buffer.ByteBuf;
import io.netty.util.IllegalReferenceCountException;
import io.polder.MemoryPool;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What happens at the limit of a pool, and to buffers that are released wrongly. */
class BudgetTest {
    private static final int PIECE = 256 << 10;

    private final MemoryPool pool =
            MemoryPool.builder()
                    .name("small")
                    .committedMaxBytes(8 << 20)
                    .decay(Duration.ofHours(1)) // so that a trim gives all back at once
                    .build();
    private final PolderByteBufAllocator allocator = new PolderByteBufAllocator(pool);
    private final List<ByteBuf> buffers = new ArrayList<>();

    @AfterEach
    void allGoesBack() {
        for (ByteBuf buffer : buffers) {
            buffer.release();
        }
        pool.trim();
        assertThat(pool.stats().committedBytes()).isZero();
        pool.close();
    }

    private void fill() {
        while (buffers.size() < 1000) {
            buffers.add(allocator.directBuffer(PIECE));
        }
    }

    @Test
    void allocate_beyondTheLimit_namesItAndWorksAgainAfterARelease() {
        assertThatExceptionOfType(OutOfMemoryError.class)
                .isThrownBy(this::fill)
                .withMessageContaining("committedMaxBytes=8388608");
        assertThat(buffers).hasSizeGreaterThan(20);
        buffers.removeLast().release();
        buffers.add(allocator.directBuffer(PIECE).writeLong(7));
        assertThat(buffers.getLast().readLong()).isEqualTo(7);
    }

    @Test
    void capacity_beyondTheLimit_leavesTheBufferAsItWas() {
        ByteBuf growing = allocator.directBuffer(64).writeLong(1).writeLong(2);
        buffers.add(growing);
        assertThatExceptionOfType(OutOfMemoryError.class)
                .isThrownBy(() -> growing.capacity(16 << 20));
        assertThat(growing.capacity()).isEqualTo(64);
        assertThat(growing.readLong()).isEqualTo(1);
        assertThat(growing.readLong()).isEqualTo(2);
    }

    @Test
    void release_twice_isNettysException() {
        ByteBuf buffer = allocator.directBuffer(100);
        assertThat(buffer.release()).isTrue();
        assertThatExceptionOfType(IllegalReferenceCountException.class).isThrownBy(buffer::release);
        assertThatExceptionOfType(IllegalReferenceCountException.class)
                .isThrownBy(() -> buffer.getByte(0));
    }

    @Test
    void release_inAnotherThread_givesBack() throws InterruptedException {
        for (int i = 0; i < 20; i++) {
            ByteBuf buffer = allocator.directBuffer(1 << i).writeByte(i);
            Thread other = Thread.ofPlatform().start(buffer::release);
            other.join();
            assertThat(buffer.refCnt()).isZero();
            assertThat(allocator.metric().usedDirectMemory()).isZero();
        }
    }

    @Test
    void capacity_growsWithItsContent() {
        ByteBuf buffer = allocator.directBuffer(10);
        buffers.add(buffer);
        for (int i = 0; i < 100_000; i++) {
            buffer.writeInt(i);
        }
        for (int i = 0; i < 100_000; i++) {
            assertThat(buffer.readInt()).isEqualTo(i);
        }
    }
}
