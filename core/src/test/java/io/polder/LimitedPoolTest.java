package io.polder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.polder.heap.HeapOptions;
import io.polder.heap.RelocatingHeap;
import io.polder.page.Page;
import io.polder.page.PageCache;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * A pool with a limit fails only for what is in use: what waits to be closed, and what threads keep
 * at hand, makes room first. No background helps: its decay is longer than any test.
 */
class LimitedPoolTest {
    private static final long MIB = 1 << 20;
    private static final long LARGE = 10 * MIB;

    private MemoryPool pool = pool(256 * MIB);

    private static MemoryPool pool(long limit) {
        return MemoryPool.builder()
                .name("limited")
                .committedMaxBytes(limit)
                .decay(Duration.ofHours(1))
                .build();
    }

    private void use(long limit) {
        pool.close();
        pool = pool(limit);
    }

    @AfterEach
    void nothingIsLeft() {
        Await.allIsGivenBack(pool);
        pool.close();
        assertThat(pool.stats().reservedBytes()).isZero();
    }

    private static void paintEnds(MemorySegment segment, long seed) {
        for (long from : new long[] {0, segment.byteSize() - 100}) {
            MemorySegment end = segment.asSlice(from, 100);
            assertThat(Paint.isZero(end)).isTrue();
            Paint.paint(end, seed);
        }
    }

    /** Closes ten members of groups that wait for the background, and have that much memory. */
    private void leavePending(int count) {
        for (int i = 0; i < count; i++) {
            try (Arena arena = pool.openSharedDeferred()) {
                paintEnds(arena.allocate(LARGE), i);
            }
        }
    }

    @Test
    void openDeferred_oneAtATime_neverFails() {
        long most = 0;
        for (int i = 0; i < 200; i++) {
            try (Arena arena = pool.openSharedDeferred()) {
                paintEnds(arena.allocate(LARGE), i);
                most = Math.max(most, pool.stats().usedBytes());
            }
        }
        assertThat(most).isGreaterThan(2 * LARGE);
        assertThat(pool.stats().usedBytes()).as("some wait to be closed").isPositive();
        assertThat(pool.trim()).isGreaterThanOrEqualTo(LARGE);
        assertThat(pool.stats().usedBytes()).isZero();
    }

    @Test
    void openDeferred_oneAtATimeNearlyAsLargeAsTheLimit_neverFails() {
        use(16 * MIB);
        for (int i = 0; i < 50; i++) {
            try (Arena arena = pool.openSharedDeferred()) {
                paintEnds(arena.allocate(LARGE), i);
            }
        }
    }

    /** Each thread that asks, for whatever size. */
    @Test
    void allocate_deferredArenasWaitToBeClosed_closesThemFirst() {
        use(64 * MIB);
        List<Supplier<Arena>> kinds =
                List.of(pool::openConfined, pool::openShared, pool::openSharedDeferred);
        for (Supplier<Arena> kind : kinds) {
            for (long bytes : new long[] {40 * MIB, 3 * MIB, 100_000, 1000}) {
                leavePending(5);
                assertThat(pool.stats().usedBytes()).isEqualTo(5 * LARGE);
                try (Arena arena = kind.get()) {
                    for (long done = 0; done < 40 * MIB; done += bytes) {
                        paintEnds(arena.allocate(bytes), bytes);
                    }
                }
                pool.trim();
            }
        }
    }

    /** The ways to take a page of 32 MiB. */
    enum Take {
        AT_ONCE {
            @Override
            Page from(PageCache pages) {
                return pages.allocate(30 * MIB + 1);
            }
        },
        IN_A_RANGE {
            @Override
            Page from(PageCache pages) {
                return pages.allocate(32 * MIB, 32 * MIB);
            }
        },
        IN_LINE {
            @Override
            Page from(PageCache pages) throws InterruptedException {
                return pages.allocate(32 * MIB, Duration.ofDays(1));
            }
        },
        IN_LINE_WITHOUT_WAITING {
            @Override
            Page from(PageCache pages) throws InterruptedException {
                return pages.allocate(32 * MIB, Duration.ZERO);
            }
        };

        abstract Page from(PageCache pages) throws InterruptedException;
    }

    @ParameterizedTest
    @EnumSource(Take.class)
    @Timeout(300)
    void takePage_deferredArenasWaitToBeClosed_closesThemFirst(Take take) throws Exception {
        use(64 * MIB);
        leavePending(5);
        Page page = take.from(pool.pages());
        assertThat(page.bytes()).isEqualTo(32 * MIB);
        assertThat(pool.stats().usedBytes()).isEqualTo(32 * MIB);
        try (Arena arena = pool.openShared()) {
            paintEnds(page.segment(arena), 1);
        }
        page.close();
    }

    /** What the running thread keeps at hand is no reason to refuse a page. */
    @ParameterizedTest
    @EnumSource(Take.class)
    @Timeout(300)
    void takePage_asLargeAsTheLimit_drainsWhatIsKept(Take take) throws Exception {
        use(32 * MIB);
        try (Arena arena = pool.openConfined()) {
            paintEnds(arena.allocate(1000), 1);
        }
        assertThat(pool.stats().usedBytes()).as("a slab is kept").isPositive();
        take.from(pool.pages()).close();
    }

    @Test
    void takePage_whatWaitsIsNotEnough_saysWhatIsInTheWay() {
        use(64 * MIB);
        try (Arena open = pool.openSharedDeferred()) {
            paintEnds(open.allocate(40 * MIB), 1);
            leavePending(2);
            assertThatExceptionOfType(OutOfMemoryError.class)
                    .isThrownBy(() -> pool.pages().allocate(32 * MIB))
                    .withMessageStartingWith("committed memory must stay within its limit")
                    .withMessageContaining("committedMaxBytes=" + 64 * MIB)
                    .withMessageContaining("requestedBytes=" + 32 * MIB);
            assertThat(pool.stats().usedBytes()).as("only what is open").isLessThan(41 * MIB);
            pool.pages().allocate(20 * MIB).close();
        }
    }

    @Test
    void allocateObject_deferredArenasWaitToBeClosed_closesThemFirst() {
        use(64 * MIB);
        leavePending(5);
        try (RelocatingHeap heap = pool.openHeap()) {
            long first = heap.allocate(MIB);
            for (int i = 0; i < 20; i++) {
                heap.allocate(MIB);
            }
            leavePending(3);
            boolean inside = heap.read(first, _ -> heap.isLive(heap.allocate(8 * MIB)));
            assertThat(inside).isTrue();
        }
    }

    @Test
    void allocateObject_whatWaitsIsNotEnough_saysWhatIsInTheWay() {
        use(64 * MIB);
        try (RelocatingHeap heap = pool.openHeap()) {
            heap.allocate(40 * MIB);
            leavePending(1);
            assertThatExceptionOfType(OutOfMemoryError.class)
                    .isThrownBy(() -> heap.allocate(32 * MIB))
                    .withMessageStartingWith("committed memory must stay within its limit")
                    .withMessageContaining("committedMaxBytes=" + 64 * MIB);
            assertThat(heap.isLive(heap.allocate(10 * MIB))).isTrue();
        }
    }

    /** Closing arenas would not help, so their actions are left to their time. */
    @Test
    void allocateObject_beyondTheHeapsOwnLimit_closesNothing() {
        use(64 * MIB);
        leavePending(2);
        HeapOptions small = HeapOptions.DEFAULT.withMaxBytes(16 * MIB);
        try (RelocatingHeap heap = pool.openHeap(small)) {
            heap.allocate(8 * MIB);
            assertThatExceptionOfType(OutOfMemoryError.class)
                    .isThrownBy(() -> heap.allocate(8 * MIB))
                    .withMessageStartingWith("heap memory must stay within its limit");
            assertThat(pool.stats().usedBytes()).isGreaterThan(2 * LARGE);
        }
    }

    /** What they hold is no less in use for that. */
    @Test
    void allocate_deferredArenaOfTheGroupOpen_leavesItsMemoryAlone() {
        use(64 * MIB);
        try (Arena open = pool.openSharedDeferred()) {
            MemorySegment small = open.allocate(1000);
            MemorySegment large = open.allocate(3 * LARGE);
            paintEnds(small, 1);
            paintEnds(large, 2);
            leavePending(3);
            try (Arena arena = pool.openShared()) {
                paintEnds(arena.allocate(3 * LARGE), 3);
                assertThatExceptionOfType(OutOfMemoryError.class)
                        .isThrownBy(() -> arena.allocate(LARGE))
                        .withMessageContaining("committedMaxBytes=" + 64 * MIB);
            }
            assertThat(Paint.isPainted(small.asSlice(0, 100), 1)).isTrue();
            assertThat(Paint.isPainted(large.asSlice(0, 100), 2)).isTrue();
        }
    }

    /** More threads than the limit has room for, if each kept a slab. */
    @Test
    void allocate_manyThreadsHaveUsedThePool_hasMostOfTheLimit() throws InterruptedException {
        use(4 * MIB);
        int count = 300;
        int times = 3;
        CountDownLatch used = new CountDownLatch(count);
        CountDownLatch again = new CountDownLatch(1);
        AtomicInteger intact = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int seed = i;
            threads.add(
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        try {
                                            for (int time = 0; time < times; time++) {
                                                intact.addAndGet(useOnce(seed) ? 1 : 0);
                                            }
                                        } finally {
                                            used.countDown();
                                        }
                                        Await.open(again);
                                        intact.addAndGet(useOnce(seed) ? 1 : 0);
                                    }));
        }
        Await.open(used);
        try (Arena arena = pool.openShared()) {
            for (int i = 0; i < 34; i++) { // seven eighths are promised
                paintEnds(arena.allocate(100_000), i);
            }
        }
        try (Arena arena = pool.openShared()) {
            paintEnds(arena.allocate(3 * MIB), 1);
        }
        again.countDown();
        for (Thread thread : threads) {
            Await.end(thread);
        }
        assertThat(intact).hasValue(count * (times + 1));
    }

    private boolean useOnce(int seed) {
        try (Arena arena = pool.openConfined()) {
            MemorySegment segment = arena.allocate(10);
            boolean zero = Paint.isZero(segment);
            Paint.paint(segment, seed);
            return zero && Paint.isPainted(segment, seed);
        }
    }
}
