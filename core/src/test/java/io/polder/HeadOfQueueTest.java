package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.arena.Seed;
import io.polder.page.Page;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Waiting in a pool with a limit: what a fresh pool could not grant is refused at once, and who
 * needs little is not held up by who needs much. What waits too long fails by the time-out.
 */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HeadOfQueueTest {
    private static final long MIB = 1 << 20;
    private static final Duration LONG = Duration.ofHours(1);

    /** Takes a page, and gives it back; returns whether it got one. */
    private static boolean isGranted(MemoryPool pool, long bytes, Duration timeout)
            throws InterruptedException {
        try {
            pool.pages().allocate(bytes, timeout).close();
            return true;
        } catch (OutOfMemoryError refused) {
            return false;
        }
    }

    private static MemoryPool pool(long limit) {
        return MemoryPool.builder().committedMaxBytes(limit).build();
    }

    @Test
    void take_whatAFreshPoolWouldNotGrant_isRefusedAtOnce() {
        long seed = Seed.get();
        Seed.naming(
                seed,
                () -> {
                    SplittableRandom random = new SplittableRandom(seed);
                    int never = 0;
                    for (int i = 0; i < 12; i++) {
                        never += refusedAtOnce(random);
                    }
                    assertThat(never).isGreaterThan(10);
                });
    }

    private static int refusedAtOnce(SplittableRandom random) throws InterruptedException {
        long limit = 4 * MIB + random.nextLong(40 * MIB);
        int never = 0;
        for (int i = 0; i < 12; i++) {
            long bytes = 1 + random.nextLong(2 * limit);
            try (MemoryPool fresh = pool(limit)) {
                if (isGranted(fresh, bytes, Duration.ZERO)) {
                    continue;
                }
            }
            never++;
            try (MemoryPool pool = pool(limit)) {
                assertThat(isGranted(pool, bytes, LONG)).isFalse();
                Page some = pool.pages().allocate(1);
                Thread head = head(pool, limit);
                assertThat(isGranted(pool, bytes, LONG)).isFalse();
                end(head);
                some.close();
            }
        }
        return never;
    }

    /** Starts a thread that waits for all of the limit; returns when it waits. */
    private static Thread head(MemoryPool pool, long limit) {
        long all = limit / (2 * MIB) * (2 * MIB);
        Thread head =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    try {
                                        pool.pages().allocate(all, LONG).close();
                                    } catch (InterruptedException enough) {
                                        // The end of the test.
                                    }
                                });
        Await.until(() -> pool.stats().pages().waiting() != 0);
        return head;
    }

    private static void end(Thread head) throws InterruptedException {
        head.interrupt();
        Await.end(head);
    }

    @Test
    void take_behindWhoNeedsAll_isNotHeldUp() {
        long seed = Seed.get();
        Seed.naming(
                seed,
                () -> {
                    SplittableRandom random = new SplittableRandom(seed);
                    for (int i = 0; i < 4; i++) {
                        notHeldUp(random);
                    }
                });
    }

    private static void notHeldUp(SplittableRandom random) throws InterruptedException {
        long limit = 24 * MIB + random.nextLong(40 * MIB);
        try (MemoryPool pool = pool(limit)) {
            Page some = pool.pages().allocate(1);
            Thread head = head(pool, limit);
            AtomicBoolean refused = new AtomicBoolean();
            Thread[] others = new Thread[3];
            for (int t = 0; t < others.length; t++) {
                SplittableRandom own = random.split();
                others[t] =
                        Thread.ofPlatform()
                                .start(
                                        () -> {
                                            try {
                                                for (int i = 0; i < 3; i++) {
                                                    long bytes = 1 + own.nextLong(3 * MIB);
                                                    if (!isGranted(pool, bytes, LONG)) {
                                                        refused.set(true);
                                                    }
                                                }
                                            } catch (InterruptedException e) {
                                                refused.set(true);
                                            }
                                        });
            }
            for (Thread other : others) {
                Await.end(other);
            }
            assertThat(refused).isFalse();
            assertThat(head.isAlive()).isTrue();
            some.close();
            Await.end(head);
        }
    }
}
