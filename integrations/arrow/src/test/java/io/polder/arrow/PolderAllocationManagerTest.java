package io.polder.arrow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.polder.MemoryPool;

import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** Arrow's buffers in blocks: their content, who releases them, and what is left of them. */
class PolderAllocationManagerTest extends PoolFixture {
    private static final int OPERATIONS = 3_000;
    private static final int LIVE_MAX = 200;

    PolderAllocationManagerTest() {
        super("arrow-test");
    }

    @Test
    void buffer_ofAnySize_isOneBlockOfThePool() {
        for (long bytes : new long[] {1, 16, 100, 4096, 1 << 20, (1 << 20) + 1, 5 << 20}) {
            try (ArrowBuf buffer = allocator.buffer(bytes)) {
                assertThat(buffer.capacity()).isGreaterThanOrEqualTo(bytes);
                assertThat(allocator.getAllocatedMemory()).isEqualTo(buffer.capacity());
                assertThat(pool.stats().blocks().usedCount()).isEqualTo(1);
                assertThat(pool.stats().blocks().usedBytes())
                        .isGreaterThanOrEqualTo(buffer.capacity());
                buffer.setByte(0, 1);
                buffer.setByte(buffer.capacity() - 1, 2);
                assertThat(buffer.getByte(0)).isEqualTo((byte) 1);
            }
            assertThat(pool.stats().blocks().usedCount()).isZero();
        }
    }

    @Test
    void empty_always_takesNoMemory() {
        ArrowBuf empty = allocator.getEmpty();
        assertThat(empty.capacity()).isZero();
        assertThat(allocator.buffer(0)).isSameAs(empty);
        assertThat(pool.stats().blocks().usedCount()).isZero();
    }

    @Test
    void release_ofTheLastSlice_freesTheBlock() {
        ArrowBuf whole = allocator.buffer(1024);
        ArrowBuf slice = whole.slice(512, 256);
        slice.getReferenceManager().retain();
        slice.setLong(0, 42);
        whole.close();
        assertThat(pool.stats().blocks().usedCount()).isEqualTo(1);
        assertThat(slice.getLong(0)).isEqualTo(42);
        slice.close();
        assertThat(pool.stats().blocks().usedCount()).isZero();
    }

    @Test
    void release_onceTooOften_isArrowsException() {
        ArrowBuf buffer = allocator.buffer(64);
        buffer.close();
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(buffer::close)
                .withMessageContaining("RefCnt has gone negative");
    }

    @Test
    void transfer_toAnotherAllocator_keepsTheBlock() {
        try (BufferAllocator from = allocator.newChildAllocator("from", 0, Long.MAX_VALUE);
                BufferAllocator to = allocator.newChildAllocator("to", 0, Long.MAX_VALUE)) {
            ArrowBuf buffer = from.buffer(256);
            buffer.setLong(8, 7);
            ArrowBuf moved =
                    buffer.getReferenceManager()
                            .transferOwnership(buffer, to)
                            .getTransferredBuffer();
            buffer.close();
            assertThat(from.getAllocatedMemory()).isZero();
            assertThat(to.getAllocatedMemory()).isEqualTo(256);
            assertThat(moved.memoryAddress()).isEqualTo(buffer.memoryAddress());
            assertThat(moved.getLong(8)).isEqualTo(7);
            moved.close();
        }
    }

    @Test
    void release_byAnotherThread_freesTheBlock() throws InterruptedException {
        for (int i = 0; i < 22; i++) {
            ArrowBuf buffer = allocator.buffer(1L << i);
            Thread other = Thread.ofPlatform().start(buffer::close);
            other.join();
            assertThat(allocator.getAllocatedMemory()).isZero();
        }
        pool.trim(); // takes back what this thread has not yet seen to be free
        assertThat(pool.stats().blocks().usedCount()).isZero();
    }

    @Test
    void create_allocatorIsClosed_allocatesNoBlock() {
        BufferAllocator closed = allocator.newChildAllocator("closed", 0, Long.MAX_VALUE);
        closed.close();
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> PolderAllocationManager.factory(pool).create(closed, 64));
        assertThat(pool.stats().blocks().usedCount()).isZero();
    }

    @Test
    void factory_poolIsClosed_isRefused() {
        MemoryPool closed = MemoryPool.builder().build();
        closed.close();
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> PolderAllocationManager.factory(closed));
    }

    @Test
    void factoryOfTheProcess_always_hasItsOwnPool() {
        try (BufferAllocator ofProcess =
                        new RootAllocator(
                                RootAllocator.configBuilder()
                                        .allocationManagerFactory(PolderAllocationManager.FACTORY)
                                        .build());
                ArrowBuf buffer = ofProcess.buffer(100)) {
            assertThat(buffer.capacity()).isEqualTo(128);
            assertThat(PolderAllocationManager.pool().stats().blocks().usedCount()).isEqualTo(1);
        }
        assertThat(PolderAllocationManager.pool().stats().blocks().usedCount()).isZero();
        assertThat(PolderAllocationManager.FACTORY.toString())
                .startsWith("PolderAllocationManager[")
                .contains("arrow");
    }

    /** Buffers at random, each filled with a number of its own that must be there at its end. */
    @Test
    void buffers_atRandom_neverOverlap() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        List<ArrowBuf> live = new ArrayList<>();
        List<Long> painted = new ArrayList<>();
        Set<String> done = new HashSet<>();
        try {
            for (long i = 0; i < OPERATIONS; i++) {
                boolean full = live.size() == LIVE_MAX;
                if (!full && (live.isEmpty() || random.nextInt(100) < 55)) {
                    // The first is large: of those drawn there may be none.
                    int bits = i == 0 ? 21 : random.nextInt(3, random.nextInt(100) == 0 ? 22 : 14);
                    ArrowBuf buffer = allocator.buffer(random.nextLong(8, (1L << bits) + 8));
                    paint(buffer, i);
                    live.add(buffer);
                    painted.add(i);
                    done.add(bits > 16 ? "large" : "small");
                } else {
                    int which = random.nextInt(live.size());
                    ArrowBuf buffer = live.remove(which);
                    checkPaint(buffer, painted.remove(which), seed);
                    buffer.close();
                    done.add("release");
                }
            }
            while (!live.isEmpty()) {
                checkPaint(live.getLast(), painted.removeLast(), seed);
                live.removeLast().close();
            }
        } finally {
            live.forEach(ArrowBuf::close);
        }
        assertThat(done).describedAs("seed=%d", seed).contains("large", "small", "release");
    }

    private static void paint(ArrowBuf buffer, long number) {
        for (long at = 0; at + 8 <= buffer.capacity(); at += step(buffer)) {
            buffer.setLong(at, number);
        }
    }

    private static void checkPaint(ArrowBuf buffer, long number, long seed) {
        for (long at = 0; at + 8 <= buffer.capacity(); at += step(buffer)) {
            if (buffer.getLong(at) != number) {
                throw new AssertionError(
                        "another's bytes: seed=%d, number=%d, at=%d".formatted(seed, number, at));
            }
        }
    }

    /** Eight bytes in small buffers, a page in large ones. */
    private static long step(ArrowBuf buffer) {
        return buffer.capacity() <= 256 ? 8 : Math.max(8, buffer.capacity() / 64);
    }
}
