package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for what another thread does in its own time, and fails if that never comes. */
public final class Await {
    /** Far longer than anything takes that works. */
    private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(300);

    /** A thread may have much to do, on a busy machine. */
    private static final long END_NANOS = TimeUnit.MINUTES.toNanos(10);

    private static final long SPIN_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private Await() {}

    /** What waits so long at most, and says whether that has come for which it waits. */
    private interface Wait {
        boolean within(long nanos) throws Exception;
    }

    /** Returns when a condition holds. */
    public static void until(BooleanSupplier condition) {
        until("a condition holds", condition);
    }

    /** The same, for one that has a name. */
    public static void until(String what, BooleanSupplier condition) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            long waited = System.nanoTime() - start;
            if (waited > TIMEOUT_NANOS) {
                throw new AssertionError("waited in vain until " + what);
            } else if (waited < SPIN_NANOS) {
                Thread.onSpinWait();
            } else {
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    /** Returns when others have counted a latch down. */
    public static void open(CountDownLatch latch) {
        come("a latch is open", TIMEOUT_NANOS, nanos -> latch.await(nanos, TimeUnit.NANOSECONDS));
    }

    /** Takes a permit that others give. */
    public static void permit(Semaphore permits) {
        come(
                "there is a permit",
                TIMEOUT_NANOS,
                nanos -> permits.tryAcquire(nanos, TimeUnit.NANOSECONDS));
    }

    /** Returns when all have come to a barrier. */
    public static void all(CyclicBarrier barrier) {
        come(
                "all have come",
                TIMEOUT_NANOS,
                nanos -> {
                    int _ = barrier.await(nanos, TimeUnit.NANOSECONDS);
                    return true;
                });
    }

    /** Returns when a thread has ended. */
    public static void end(Thread thread) {
        come(thread + " has ended", END_NANOS, nanos -> thread.join(Duration.ofNanos(nanos)));
    }

    private static void come(String what, long nanos, Wait wait) {
        try {
            if (!wait.within(nanos)) {
                throw new AssertionError("waited in vain until " + what);
            }
        } catch (InterruptedException e) {
            throw new AssertionError("nobody interrupts tests", e);
        } catch (Exception e) {
            throw new AssertionError("waited in vain until " + what, e);
        }
    }

    /**
     * Trims a pool until it has no memory: the background may be moving what is free, or giving it
     * back. Nothing of it may be in use.
     */
    static void allIsGivenBack(MemoryPool pool) {
        until(
                "nothing is committed",
                () -> {
                    long _ = pool.trim();
                    return pool.stats().committedBytes() == 0;
                });
        assertThat(pool.stats().usedBytes()).isZero();
    }
}
