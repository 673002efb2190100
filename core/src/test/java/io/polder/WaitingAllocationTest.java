package io.polder;

import static io.polder.Waiter.factories;
import static io.polder.Waiter.start;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.polder.page.Page;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;

/** Allocations of arenas that wait for memory. What never comes fails by the time-out. */
@Timeout(300)
class WaitingAllocationTest {
    private static final long MIB = 1 << 20;
    private static final long LIMIT = 16 * MIB;
    private static final Duration LONG = Duration.ofDays(1);

    private final MemoryPool pool =
            MemoryPool.builder().name("waited for").committedMaxBytes(LIMIT).build();

    @AfterEach
    void nothingIsLeft() {
        Await.allIsGivenBack(pool);
        pool.close();
    }

    /** Who allocates. */
    @SuppressWarnings("ImmutableEnumChecker") // references to methods
    enum Kind {
        CONFINED(MemoryPool::openConfined),
        SHARED(MemoryPool::openShared),
        DEFERRED(MemoryPool::openSharedDeferred),
        FREEING(MemoryPool::openFreeing);

        private final Function<MemoryPool, SegmentAllocator> opening;

        Kind(Function<MemoryPool, SegmentAllocator> opening) {
            this.opening = opening;
        }

        SegmentAllocator open(MemoryPool pool) {
            return opening.apply(pool);
        }

        static void close(SegmentAllocator allocator) {
            switch (allocator) {
                case FreeingArena freeing -> freeing.close();
                case Arena arena -> arena.close();
                default -> throw new AssertionError(allocator);
            }
        }
    }

    private void awaitInLine(int count) {
        Await.until("they are in line", () -> pool.pages().stats().waiting() == count);
    }

    /** Takes all there is, by an arena that any thread may close. */
    private Arena fill() {
        Arena all = pool.openShared();
        try {
            while (true) {
                all.allocate(MIB).fill((byte) 1);
            }
        } catch (OutOfMemoryError full) {
            return all;
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void allocate_allIsTaken_waitsForAClose(Kind kind) throws Exception {
        for (ThreadFactory threads : factories()) {
            for (long bytes : new long[] {100_000, 3 * MIB, 10 * MIB}) {
                Arena all = fill();
                CompletableFuture<Thread> waiting =
                        start(
                                threads,
                                () -> {
                                    SegmentAllocator own = kind.open(pool);
                                    MemorySegment segment = pool.allocate(own, bytes, 64, LONG);
                                    assertThat(segment.byteSize()).isEqualTo(bytes);
                                    assertThat(segment.address() % 64).isZero();
                                    assertThat(Paint.isZero(segment)).isTrue();
                                    Paint.paint(segment, bytes);
                                    Kind.close(own);
                                });
                awaitInLine(1);
                assertThat(waiting).isNotDone();
                all.close();
                waiting.get();
                awaitInLine(0);
            }
        }
    }

    /** Who closes tells: nobody has to look by himself for hours. */
    @Test
    void allocate_aPageIsGiven_isWoken() throws Exception {
        Page page = pool.pages().take(LIMIT);
        CompletableFuture<Thread> waiting =
                start(
                        Thread.ofPlatform().factory(),
                        () -> {
                            try (Arena arena = pool.openConfined()) {
                                pool.allocate(arena, 4 * MIB, 1, LONG).fill((byte) 1);
                            }
                        });
        awaitInLine(1);
        pool.pages().give(page);
        waiting.get();
    }

    @Test
    void allocate_timeIsOver_namesTheTimeoutAndTheLimit() throws Exception {
        Arena all = fill();
        try (Arena arena = pool.openShared()) {
            for (Duration timeout : new Duration[] {Duration.ZERO, Duration.ofMillis(20)}) {
                assertThatExceptionOfType(OutOfMemoryError.class)
                        .isThrownBy(() -> pool.allocate(arena, 4 * MIB, 1, timeout))
                        .withMessageStartingWith(
                                "memory must come free within the timeout: timeoutMillis="
                                        + timeout.toMillis()
                                        + "; committed memory must stay within its limit")
                        .withMessageContaining("committedMaxBytes=" + LIMIT);
            }
            all.close();
            assertThat(pool.allocate(arena, 4 * MIB, 1, Duration.ZERO).byteSize())
                    .isEqualTo(4 * MIB);
        }
    }

    @Test
    void allocate_beyondTheLimit_isRefusedAtOnce() {
        try (Arena arena = pool.openConfined()) {
            assertThatExceptionOfType(OutOfMemoryError.class)
                    .isThrownBy(() -> pool.allocate(arena, LIMIT + 1, 1, LONG))
                    .withMessageContaining("committedMaxBytes=" + LIMIT);
            assertThatExceptionOfType(OutOfMemoryError.class)
                    .isThrownBy(() -> pool.allocate(arena, Long.MAX_VALUE, 1, LONG))
                    .withMessageContaining("must fit the address space");
        }
    }

    @Test
    @SuppressWarnings("NullAway") // what is refused
    void allocate_misuse_isRefusedAsByTheArena() throws Exception {
        try (Arena arena = pool.openConfined()) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> pool.allocate(arena, 1, 1, Duration.ofNanos(-1)))
                    .withMessage("0 <= timeout: timeout=PT-0.000000001S");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> pool.allocate(arena, -1, 1, LONG))
                    .withMessage("The provided allocation size is negative: -1");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> pool.allocate(arena, 1, 3, LONG))
                    .withMessage("Invalid alignment constraint : 3");
            assertThatNullPointerException().isThrownBy(() -> pool.allocate(arena, 1, 1, null));
            assertThatNullPointerException().isThrownBy(() -> pool.allocate(null, 1, 1, LONG));
            MemorySegment none = pool.allocate(arena, 0, 8, Duration.ofSeconds(Long.MAX_VALUE));
            assertThat(none.byteSize()).isZero();
        }
    }

    @Test
    void allocate_arenaOfAnotherPool_isRefused() throws Exception {
        try (MemoryPool other = MemoryPool.builder().committedMaxBytes(LIMIT).build()) {
            for (Kind kind : Kind.values()) {
                SegmentAllocator foreign = kind.open(other);
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> pool.allocate(foreign, 1, 1, LONG))
                        .withMessageStartingWith("an arena must be of the pool whose memory");
                Kind.close(foreign);
            }
            try (Arena ofJdk = Arena.ofConfined()) {
                assertThat(pool.allocate(ofJdk, 10, 1, LONG).byteSize()).isEqualTo(10);
            }
        }
    }

    /** Waits for the whole limit, and gives it back. */
    private CompletableFuture<Thread> firstInLine() {
        CompletableFuture<Thread> first =
                start(
                        Thread.ofPlatform().factory(),
                        () -> pool.pages().give(pool.pages().take(LIMIT, LONG)));
        awaitInLine(1);
        return first;
    }

    /** Who may not allocate need not wait to be told so. */
    @Test
    void allocate_inAWrongThreadOrClosed_isRefusedAlsoWhileOthersWait() throws Exception {
        Page page = pool.pages().take(LIMIT);
        CompletableFuture<Thread> first = firstInLine();
        try (Arena confined = pool.openConfined();
                FreeingArena freeing = pool.openFreeing()) {
            for (SegmentAllocator each : List.of(confined, freeing)) {
                assertThatExceptionOfType(ExecutionException.class)
                        .isThrownBy(
                                () ->
                                        start(
                                                        Thread.ofVirtual().factory(),
                                                        () -> pool.allocate(each, MIB, 1, LONG))
                                                .get())
                        .withCauseInstanceOf(WrongThreadException.class);
            }
        }
        for (Kind kind : Kind.values()) {
            SegmentAllocator closed = kind.open(pool);
            Kind.close(closed);
            assertThatIllegalStateException()
                    .isThrownBy(() -> pool.allocate(closed, MIB, 1, LONG))
                    .withMessageContaining("losed");
        }
        pool.pages().give(page);
        first.get();
    }

    @Test
    void allocate_interrupted_endsAndTheArenaGoesOn() throws Exception {
        for (ThreadFactory threads : factories()) {
            Arena all = fill();
            AtomicReference<Thread> waiter = new AtomicReference<>();
            CompletableFuture<Thread> waiting =
                    start(
                            threads,
                            () -> {
                                waiter.set(Thread.currentThread());
                                try (Arena arena = pool.openConfined()) {
                                    assertThatExceptionOfType(InterruptedException.class)
                                            .isThrownBy(
                                                    () -> pool.allocate(arena, 4 * MIB, 1, LONG));
                                    assertThat(Thread.currentThread().isInterrupted()).isFalse();
                                    all.close();
                                    pool.allocate(arena, 4 * MIB, 1, LONG).fill((byte) 1);
                                }
                            });
            awaitInLine(1);
            waiter.get().interrupt();
            waiting.get();
        }
    }

    @Test
    void allocate_poolIsClosed_isTold() throws Exception {
        MemoryPool closing = MemoryPool.builder().committedMaxBytes(LIMIT).build();
        Page page = closing.pages().take(LIMIT);
        List<CompletableFuture<Thread>> waiting = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            waiting.add(
                    start(
                            factories().get(i % 2),
                            () -> {
                                try (Arena arena = closing.openShared()) {
                                    closing.allocate(arena, 4 * MIB, 1, LONG);
                                }
                            }));
        }
        Await.until("they are in line", () -> closing.pages().stats().waiting() == 4);
        closing.close();
        for (CompletableFuture<Thread> each : waiting) {
            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(each::get)
                    .withCauseInstanceOf(IllegalStateException.class)
                    .withMessageContaining("closed");
        }
        closing.pages().give(page);
    }

    /** Also of one that is not the first in the queue. */
    @Test
    void allocate_arenaIsClosedMeanwhile_isTold() throws Exception {
        Page page = pool.pages().take(LIMIT);
        CompletableFuture<Thread> first = firstInLine();
        Arena arena = pool.openShared();
        CompletableFuture<Thread> waiting =
                start(Thread.ofPlatform().factory(), () -> pool.allocate(arena, 4 * MIB, 1, LONG));
        awaitInLine(2);
        arena.close();
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(waiting::get)
                .withCauseInstanceOf(IllegalStateException.class);
        pool.pages().give(page);
        first.get();
    }

    /** A small request does not pass a page before it; what an arena has is not asked for. */
    @Test
    void allocate_othersWait_isServedInOrderUnlessTheArenaHasRoom() throws Exception {
        Page half = pool.pages().take(LIMIT / 2);
        Page other = pool.pages().take(LIMIT / 4);
        try (Arena roomy = pool.openConfined()) {
            roomy.allocate(8);
            CompletableFuture<Thread> page =
                    start(
                            Thread.ofPlatform().factory(),
                            () -> {
                                Page mine = pool.pages().take(LIMIT / 2, LONG);
                                awaitInLine(0);
                                pool.pages().give(mine);
                            });
            awaitInLine(1);
            CompletableFuture<Thread> small =
                    start(
                            Thread.ofPlatform().factory(),
                            () -> {
                                try (Arena arena = pool.openShared()) {
                                    pool.allocate(arena, 100_000, 1, LONG);
                                }
                            });
            awaitInLine(2);
            assertThat(pool.allocate(roomy, 100, 1, LONG).byteSize()).isEqualTo(100);
            assertThat(small).as("there is room for it, but not its turn").isNotDone();
            pool.pages().give(half);
            page.get();
            small.get();
        }
        pool.pages().give(other);
    }

    @Test
    void allocate_poolingIsOff_isTheJdksAllocation() throws Exception {
        try (MemoryPool off = MemoryPool.builder().slabs(0, 0).build();
                Arena arena = off.openConfined()) {
            assertThat(off.allocate(arena, 100, 8, LONG).byteSize()).isEqualTo(100);
        }
    }

    @Test
    void allocate_blocks_waitForMemoryAsWell() throws Exception {
        Page page = pool.pages().take(LIMIT);
        BlockAllocator blocks = pool.blocks();
        CompletableFuture<Thread> waiting =
                start(
                        Thread.ofPlatform().factory(),
                        () ->
                                blocks.free(
                                        pool.allocate(
                                                blocks.asSegmentAllocator(), 100_000, 16, LONG)));
        awaitInLine(1);
        pool.pages().give(page);
        waiting.get();
    }

    /** More threads than there is memory for: each of them gets its share in the end. */
    @Test
    void allocate_byMany_allAreServed() throws Exception {
        List<CompletableFuture<Thread>> all = new ArrayList<>();
        for (int i = 0; i < 24; i++) {
            SplittableRandom random = new SplittableRandom(i);
            Kind kind = Kind.values()[i % Kind.values().length];
            all.add(
                    start(
                            factories().get(i % 2),
                            () -> {
                                for (int round = 0; round < 20; round++) {
                                    SegmentAllocator own = kind.open(pool);
                                    long bytes = random.nextLong(1, 5 * MIB);
                                    MemorySegment segment = pool.allocate(own, bytes, 1, LONG);
                                    byte last = segment.get(ValueLayout.JAVA_BYTE, bytes - 1);
                                    assertThat(last).isZero();
                                    segment.fill((byte) round);
                                    Kind.close(own);
                                }
                            }));
        }
        for (CompletableFuture<Thread> each : all) {
            each.get();
        }
        assertThat(pool.pages().stats().waiting()).isZero();
    }
}
