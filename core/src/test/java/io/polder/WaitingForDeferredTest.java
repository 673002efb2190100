package io.polder;

import static io.polder.Waiter.start;

import io.polder.page.Page;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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

    /**
     * A thread that closes a deferred arena while others wait does not leave that to the
     * background.
     */
    @Test
    void take_aDeferredArenaIsClosed_isServedWithoutTheBackground() throws Exception {
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
                                Page got = slow.pages().allocate(12 * MIB, LONG);
                                got.close();
                            });
            Await.until("it is in line", () -> slow.stats().pages().waiting() == 1);
            deferred.close();
            waiting.get();
        }
    }

    /** The thread has looked for what it can close itself, and does not wait in the queue yet. */
    @Test
    @SuppressWarnings("restricted") // the only way to register an action
    void take_aDeferredArenaIsClosedBeforeItWaits_isServedWithoutTheBackground() throws Exception {
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
                                        Await.open(closed);
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
                                Page got = slow.pages().allocate(12 * MIB, LONG);
                                got.close();
                            });
            Await.open(inAction);
            second.close();
            closed.countDown();
            waiting.get();
        }
    }

    /** The thread runs an action before it waits, which waits as well. */
    @Test
    @SuppressWarnings("restricted") // the only way to register an action
    void take_byAnActionOfAThreadThatIsAboutToWait_isServed() throws Exception {
        Arena deferred = pool.openSharedDeferred();
        CountDownLatch inAction = new CountDownLatch(1);
        var _ =
                deferred.allocate(8)
                        .reinterpret(
                                8,
                                deferred,
                                _ -> {
                                    inAction.countDown();
                                    takeAndGive(1);
                                });
        List<Page> all = takeAll();
        CompletableFuture<Thread> waiting =
                start(
                        Thread.ofPlatform().factory(),
                        () -> {
                            deferred.close();
                            takeAndGive(8 * MIB);
                        });
        Await.open(inAction);
        all.forEach(Page::close);
        waiting.get();
    }

    private List<Page> takeAll() {
        List<Page> all = new ArrayList<>();
        try {
            while (true) {
                all.add(pool.pages().allocate(1));
            }
        } catch (OutOfMemoryError full) {
            return all;
        }
    }

    private void takeAndGive(long bytes) {
        try {
            pool.pages().allocate(bytes, LONG).close();
        } catch (InterruptedException e) {
            throw new AssertionError("nobody interrupts tests", e);
        }
    }
}
