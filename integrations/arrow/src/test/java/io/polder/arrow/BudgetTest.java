package io.polder.arrow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.polder.MemoryPool;

import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.OutOfMemoryException;
import org.apache.arrow.vector.VarCharVector;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What happens at the limit of a pool. */
class BudgetTest {
    private static final int PIECE = 256 << 10;

    private final MemoryPool pool =
            MemoryPool.builder()
                    .name("small")
                    .committedMaxBytes(8 << 20)
                    .decay(Duration.ofHours(1)) // so that a trim gives all back at once
                    .build();
    private final BufferAllocator allocator = PoolAllocator.of(pool);
    private final List<ArrowBuf> buffers = new ArrayList<>();

    @AfterEach
    void allGoesBack() {
        buffers.forEach(ArrowBuf::close);
        PoolAllocator.close(allocator, pool);
    }

    private void fill() {
        while (buffers.size() < 1000) {
            buffers.add(allocator.buffer(PIECE));
        }
    }

    @Test
    void buffer_beyondTheLimit_namesItAndWorksAgainAfterARelease() {
        assertThatExceptionOfType(OutOfMemoryException.class)
                .isThrownBy(this::fill)
                .withMessageStartingWith("no memory for a buffer of Arrow: size=262144: ")
                .withMessageContaining("committedMaxBytes=8388608")
                .withCauseInstanceOf(OutOfMemoryError.class);
        assertThat(buffers).hasSizeGreaterThan(20);
        assertThat(allocator.getAllocatedMemory()).isEqualTo((long) buffers.size() * PIECE);
        assertThat(pool.stats().blocks().usedCount()).isEqualTo(buffers.size());
        buffers.removeLast().close();
        ArrowBuf again = allocator.buffer(PIECE);
        buffers.add(again);
        again.setLong(0, 7);
        assertThat(again.getLong(0)).isEqualTo(7);
    }

    @Test
    void buffer_largerThanTheLimit_isRefusedAndNothingChanges() {
        assertThatExceptionOfType(OutOfMemoryException.class)
                .isThrownBy(() -> allocator.buffer(16 << 20))
                .withMessageContaining("committedMaxBytes=8388608");
        assertThat(allocator.getAllocatedMemory()).isZero();
        assertThat(pool.stats().blocks().usedCount()).isZero();
    }

    @Test
    void vector_growsBeyondTheLimit_keepsItsValues() {
        try (VarCharVector names = new VarCharVector("names", allocator)) {
            names.allocateNew(1 << 16, 16);
            byte[] name = "a name of some length".repeat(40).getBytes(StandardCharsets.UTF_8);
            int[] set = new int[1];
            assertThatExceptionOfType(OutOfMemoryException.class)
                    .isThrownBy(
                            () -> {
                                for (; set[0] < 100_000; set[0]++) {
                                    names.setSafe(set[0], name);
                                }
                            })
                    .withMessageContaining("committedMaxBytes=8388608");
            assertThat(set[0]).isGreaterThan(100);
            for (int i = 0; i < set[0]; i++) {
                assertThat(names.get(i)).isEqualTo(name);
            }
        }
        assertThat(allocator.getAllocatedMemory()).isZero();
    }
}
