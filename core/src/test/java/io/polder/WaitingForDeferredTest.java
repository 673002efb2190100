package io.polder;

import static io.polder.Waiter.start;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.page.Page;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

/**
 * Allocations that wait while deferred arenas are closed, whose memory comes back without the
 * background. What never comes fails by the time-out.
 */
@Timeout(300)
class WaitingForDeferredTest {
    private static final long MIB = 1 << 20;
    private static final long LIMIT = 16 * MIB;
    private static final Duration LONG = Duration.ofDays(1);

    private final MemoryPool pool =
            MemoryPool.builder().name("waited for, deferred").committedMaxBytes(LIMIT).build();

    @AfterEach
    void nothingIsLeft() {
        Await.allIsGivenBack(pool);
        pool.close();
    }

    /** Whoever closes a deferred arena while others wait does not leave that to the background. */
    @Test
    void allocate_aDeferredArenaIsClosed_isServedWithoutTheBackground() throws Exception {
        try (MemoryPool slow =
                MemoryPool.builder()
                        .name("slow")
                        .committedMaxBytes(LIMIT)
                        .decay(Duration.ofHours(1))
                        .build()) {
            Arena deferred = slow.openSharedDeferred();
            deferred.allocate(12 * MIB);
            CompletableFuture<Thread> waiting =
                    start(
                            Thread.ofPlatform().factory(),
                            () -> {
                                try (Arena arena = slow.openConfined()) {
                                    slow.allocate(arena, 12 * MIB, 1, LONG);
                                }
                            });
            Await.until("it is in line", () -> slow.pages().stats().waiting() == 1);
            deferred.close();
            waiting.get();
        }
    }

    /** The thread has looked for what it can close itself, and does not wait in the queue yet. */
    @Test
    @SuppressWarnings("restricted") // the only way to register an action
    void allocate_aDeferredArenaIsClosedBeforeItWaits_isServedWithoutTheBackground()
            throws Exception {
        try (MemoryPool slow =
                MemoryPool.builder()
                        .name("slow, too")
                        .committedMaxBytes(LIMIT)
                        .decay(Duration.ofHours(1))
                        .build()) {
            CountDownLatch inAction = new CountDownLatch(1);
            CountDownLatch closed = new CountDownLatch(1);
            Arena sealing = slow.openSharedDeferred();
            Arena first = slow.openSharedDeferred();
            var _ =
                    first.allocate(8)
                            .reinterpret(
                                    8,
                                    first,
                                    _ -> {
                                        inAction.countDown();
                                        awaitUninterruptibly(closed);
                                    });
            sealing.close();
            long _ = slow.trim(); // what is opened from now on is in another group
            Arena second = slow.openSharedDeferred();
            second.allocate(12 * MIB);
            first.close();
            CompletableFuture<Thread> waiting =
                    start(
                            Thread.ofPlatform().factory(),
                            () -> {
                                try (Arena arena = slow.openConfined()) {
                                    slow.allocate(arena, 12 * MIB, 1, LONG);
                                }
                            });
            inAction.await();
            second.close();
            closed.countDown();
            waiting.get();
        }
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError("nobody interrupts tests", e);
        }
    }

    /** The thread runs an action before it waits, which waits as well. */
    @Test
    @SuppressWarnings("restricted") // the only way to register an action
    void allocate_byAnActionOfAThreadThatIsAboutToWait_isServed() throws Exception {
        Page page = pool.pages().take(LIMIT - 4 * MIB);
        Page rest = pool.pages().take(2 * MIB);
        CountDownLatch inAction = new CountDownLatch(1);
        CompletableFuture<Thread> waiting =
                start(
                        Thread.ofPlatform().factory(),
                        () -> {
                            Arena deferred = pool.openSharedDeferred();
                            var _ =
                                    deferred.allocate(8)
                                            .reinterpret(
                                                    8,
                                                    deferred,
                                                    _ -> {
                                                        inAction.countDown();
                                                        allocateOnce(100_000);
                                                    });
                            try (Arena arena = pool.openConfined()) {
                                deferred.close();
                                pool.allocate(arena, 4 * MIB, 1, LONG);
                            }
                        });
        inAction.await();
        pool.pages().give(page);
        pool.pages().give(rest);
        waiting.get();
    }

    private void allocateOnce(long bytes) {
        try (Arena arena = pool.openConfined()) {
            assertThat(pool.allocate(arena, bytes, 1, LONG).byteSize()).isEqualTo(bytes);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
