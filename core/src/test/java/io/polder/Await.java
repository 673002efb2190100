package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for what another thread does in its own time. */
final class Await {
    /** Far longer than anything takes that works. */
    private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(200);

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private Await() {}

    /** Returns when a condition holds; fails if that never comes. */
    static void until(String what, BooleanSupplier condition) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - start > TIMEOUT_NANOS) {
                throw new AssertionError("waited in vain until " + what);
            }
            LockSupport.parkNanos(PAUSE_NANOS);
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
