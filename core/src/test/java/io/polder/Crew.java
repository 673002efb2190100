package io.polder;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Threads that do tasks of a test. Closing them waits for the tasks, but not for ever: one may wait
 * for what a test that has failed no longer does.
 */
public final class Crew extends ThreadPoolExecutor {
    /** Far longer than anything takes that works. */
    private static final long TIMEOUT_SECONDS = 600;

    private Crew(int threads) {
        super(
                threads,
                threads,
                0,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                Thread.ofPlatform().daemon().factory());
    }

    /** So many platform threads. */
    public static ExecutorService of(int threads) {
        return new Crew(threads);
    }

    @Override
    public void close() {
        shutdown();
        try {
            if (!awaitTermination(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError("a task does not end: " + this);
            }
        } catch (InterruptedException e) {
            throw new AssertionError("nobody interrupts tests", e);
        } finally {
            shutdownNow();
        }
    }
}
