package io.polder.bench;

import io.polder.gate.GateFence;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The time in which a process tests its fence: half a second after Polder's first use, some fifteen
 * on a busy machine. Until then blocks take a lock, which no long-running program does.
 */
public final class FenceTrial {
    /** Longer than the test takes on a busy machine. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private FenceTrial() {}

    /** Begins it if nobody has, and waits until it has ended. */
    public static void awaitEnd() {
        GateFence fence = GateFence.choose();
        long begin = System.nanoTime();
        while (fence.isUnderTest() && System.nanoTime() - begin < PATIENCE_NANOS) {
            LockSupport.parkNanos(POLL_NANOS);
        }
    }
}
