package io.polder.arena;

import io.polder.Await;

import org.assertj.core.api.Assertions;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/** Runs something in a fresh thread that has ended when the call returns. */
public final class OtherThread {
    private OtherThread() {}

    /** The result of a task run by a fresh platform thread. */
    public static <T extends @Nullable Object> T platform(Callable<T> task) {
        return run(task, Thread.ofPlatform());
    }

    /** The same by one whose id names the same entry of a {@link ThreadRegistry} as another's. */
    public static <T extends @Nullable Object> T colliding(Thread other, Callable<T> task) {
        FutureTask<T> future = new FutureTask<>(task);
        Thread thread = unstartedColliding(other, future);
        thread.start();
        return result(thread, future);
    }

    /** A fresh platform thread whose id names the same entry of a {@link ThreadRegistry}. */
    static Thread unstartedColliding(Thread other, Runnable task) {
        long wanted = other.threadId() % ThreadRegistry.ENTRIES;
        Thread thread = Thread.ofPlatform().unstarted(task);
        while (thread.threadId() % ThreadRegistry.ENTRIES != wanted) {
            thread = Thread.ofPlatform().unstarted(task);
        }
        return thread;
    }

    /** The result of a task run by a fresh virtual thread. */
    public static <T extends @Nullable Object> T virtual(Callable<T> task) {
        return run(task, Thread.ofVirtual());
    }

    /** What a task run by a fresh platform thread throws; null if nothing. */
    public static @Nullable Throwable thrownOnPlatform(ThrowingCallable task) {
        return platform(() -> thrownBy(task));
    }

    /** What a task run by a fresh virtual thread throws; null if nothing. */
    public static @Nullable Throwable thrownOnVirtual(ThrowingCallable task) {
        return virtual(() -> thrownBy(task));
    }

    /** What a task throws; null if nothing. */
    public static @Nullable Throwable thrownBy(ThrowingCallable task) {
        return Assertions.catchThrowable(task);
    }

    private static <T extends @Nullable Object> T run(Callable<T> task, Thread.Builder builder) {
        FutureTask<T> future = new FutureTask<>(task);
        return result(builder.start(future), future);
    }

    private static <T extends @Nullable Object> T result(Thread thread, FutureTask<T> future) {
        try {
            Await.end(thread);
            return future.get();
        } catch (InterruptedException e) {
            throw new AssertionError("its thread has ended", e);
        } catch (ExecutionException e) {
            throw new AssertionError("a task in another thread failed", e.getCause());
        }
    }
}
