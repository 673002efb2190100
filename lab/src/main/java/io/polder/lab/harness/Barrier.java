package io.polder.lab.harness;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;

/**
 * Where so many threads wait for each other, again and again, until one of them fails: then nobody
 * waits for ever, and all are told why. Thread-safe.
 */
public final class Barrier {
    private final CyclicBarrier barrier;
    private volatile @Nullable Throwable failure;

    /** Of so many threads. */
    public Barrier(int threads) {
        barrier = new CyclicBarrier(threads);
    }

    /**
     * Waits for all others.
     *
     * @throws IllegalStateException if one of them failed
     */
    public void await() throws InterruptedException {
        try {
            barrier.await();
        } catch (BrokenBarrierException e) {
            throw failed();
        }
    }

    /**
     * Looks whether all others will come.
     *
     * @throws IllegalStateException if one of them failed
     */
    public void check() {
        if (barrier.isBroken()) {
            throw failed();
        }
    }

    private IllegalStateException failed() {
        return new IllegalStateException("another thread failed: " + failure, failure);
    }

    /** The running thread will not come any more. */
    public void fail(Throwable thrown) {
        if (failure == null) {
            failure = thrown;
        }
        // A thread that is interrupted when it comes breaks the barrier, and for good.
        Thread.currentThread().interrupt();
        try {
            barrier.await();
        } catch (InterruptedException | BrokenBarrierException e) {
            // It is broken now.
        }
    }
}
